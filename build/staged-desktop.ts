// What Electron runs and what is packed: the app as plain JavaScript, for a start of the desktop as it was staged,
// or staged now where its sources are others. See stage-desktop.ts for how that is done.

import { join } from "node:path";
import { runBuild } from "./build-process.ts";
import { type BuiltFolder, distDir, isBuilt } from "./built-folder.ts";
import { ensureBuiltPage } from "./built-page.ts";

/** Weights are linked, not copied: they are no sources. */
export const weightsDir = join("main", "engines", "weights");

/** The page is told by the digest of its own sources. */
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
 * The folder Electron is started with. `onBuildStart` is called where that takes a few seconds.
 * @throws AppError where it cannot be staged; the signal's reason
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
