// Checks by files alone whether Electron can open a window: importing its package outside of Electron would download
// the program.

import { accessSync, constants, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

export type FoundElectron =
  | { readonly isAvailable: true; readonly path: string }
  /** `reason` is a clause; `remedy` is the command that installs what is missing, if there is one. */
  | { readonly isAvailable: false; readonly reason: string; readonly remedy?: string };

type FindElectronOptions = {
  readonly env?: NodeJS.ProcessEnv;
  readonly system?: NodeJS.Platform;
  /** Folder of the installed package; undefined: not installed. */
  readonly packageDir?: string | undefined;
};

/** Path of the program within its distribution, as in electron/install.js. */
const programs: Partial<Record<NodeJS.Platform, string>> = {
  darwin: join("Electron.app", "Contents", "MacOS", "Electron"),
  win32: "electron.exe",
};
const installCommand = "npx --no install-electron";

/** `ELECTRON_OVERRIDE_DIST_PATH` selects another distribution, as in Electron itself. */
export function findElectron(options: FindElectronOptions = {}): FoundElectron {
  const { env = process.env, system = process.platform } = options;
  const packageDir = "packageDir" in options ? options.packageDir : findPackageDir();
  if (packageDir === undefined)
    return {
      isAvailable: false,
      reason: "Electron's package is not installed",
      remedy: "npm install",
    };
  const { version } = JSON.parse(readFileSync(join(packageDir, "package.json"), "utf8")) as {
    version: string;
  };
  const overrideDir = env["ELECTRON_OVERRIDE_DIST_PATH"] || undefined;
  const distDir = overrideDir ?? join(packageDir, "dist");
  const path = join(distDir, programs[system] ?? "electron");
  const remedy = overrideDir === undefined ? { remedy: installCommand } : {};

  const installedVersion = readTrimmed(join(distDir, "version"))?.replace(/^v/, "");
  if (!canAccess(path, constants.F_OK))
    return {
      isAvailable: false,
      reason:
        overrideDir === undefined
          ? `the program of Electron ${version} was not downloaded`
          : `there is no Electron in ${overrideDir}`,
      ...remedy,
    };
  // An incomplete download has no version file.
  if (installedVersion !== version)
    return {
      isAvailable: false,
      reason: `Electron ${version} is required, but ${installedVersion ?? "an incomplete download"} is installed`,
      ...remedy,
    };
  if (!canAccess(path, constants.X_OK))
    return { isAvailable: false, reason: `${path} may not be run` };
  if (system === "linux" && !env["DISPLAY"] && !env["WAYLAND_DISPLAY"])
    return { isAvailable: false, reason: "there is no screen to open a window on" };
  return { isAvailable: true, path };
}

function findPackageDir(): string | undefined {
  try {
    return dirname(createRequire(import.meta.url).resolve("electron/package.json"));
  } catch {
    return undefined;
  }
}

function readTrimmed(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim() || undefined;
  } catch {
    return undefined;
  }
}

function canAccess(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}
