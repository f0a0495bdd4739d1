// The window's page for a start of the app: as it was built, or built now where its sources are others.

import { join } from "node:path";
import { runBuild } from "./build-process.ts";
import { builtPageDir, isPageBuilt } from "./page-folder.ts";

/**
 * The folder of the page. `onBuildStart` is called where that takes a few seconds.
 * @throws AppError where it cannot be built; the signal's reason
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
