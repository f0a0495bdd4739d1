// The app as plain JavaScript, which Electron runs and electron-builder packs: staged again if its sources changed. See
// stage-desktop.ts for the staging.

import { join } from "node:path";
import { runBuild } from "./build-process.ts";
import { type BuiltFolder, distDir, isBuilt } from "./built-folder.ts";
import { ensureBuiltPage } from "./built-page.ts";

/** Weights are linked, not copied, and do not count as sources. */
export const weightsDir = join("main", "engines", "weights");

/** The page is represented by the digest of its own sources. */
export const desktopFolder: BuiltFolder = {
  dir: join(distDir, "desktop"),
  sources: [
    "main",
    "build",
    "package.json",
    "package-lock.json",
    join("dist", "renderer", ".sources"),
  ],
  excludedPaths: [weightsDir],
};

/**
 * Returns the folder to start Electron with. `onBuildStart` is called if something must be built, which takes a few
 * seconds.
 * @throws AppError if staging fails; the signal's reason
 */
export async function ensureStagedDesktop(
  onBuildStart: () => void,
  signal: AbortSignal,
): Promise<string> {
  await ensureBuiltPage(onBuildStart, signal);
  if (!(await isBuilt(desktopFolder)))
    await runBuild(join(import.meta.dirname, "stage-desktop.ts"), signal);
  return desktopFolder.dir;
}
