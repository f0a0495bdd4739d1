// Provides the window's page at the start of the app: builds it if its sources changed.

import { join } from "node:path";
import { runBuild } from "./build-process.ts";
import { builtPageDir, isPageBuilt } from "./page-folder.ts";

/**
 * Returns the folder of the page. `onBuildStart` is called if it must be built, which takes a few seconds.
 * @throws AppError if the build fails; the signal's reason
 */
export async function ensureBuiltPage(
  onBuildStart: () => void,
  signal: AbortSignal,
): Promise<string> {
  if (await isPageBuilt()) return builtPageDir;
  onBuildStart();
  await runBuild(join(import.meta.dirname, "build-page.ts"), signal);
  return builtPageDir;
}
