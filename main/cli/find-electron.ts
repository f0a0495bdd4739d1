// Whether Electron can open a window here, found out by looking at files alone: importing the package outside of
// Electron would download its program.

import { accessSync, constants, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

export type FoundElectron =
  | { readonly isThere: true; readonly path: string }
  /** `reason` is a clause; `remedy` the command that fetches what is missing, where one does. */
  | { readonly isThere: false; readonly reason: string; readonly remedy?: string };

type Surroundings = {
  readonly env?: NodeJS.ProcessEnv;
  readonly system?: NodeJS.Platform;
  /** The installed package's folder; undefined: there is none. */
  readonly packageDir?: string | undefined;
};

/** The program within its distribution, by system: as electron/install.js names it. */
const programs: Partial<Record<NodeJS.Platform, string>> = {
  darwin: join("Electron.app", "Contents", "MacOS", "Electron"),
  win32: "electron.exe",
};
const fetching = "npx --no install-electron";

/** `ELECTRON_OVERRIDE_DIST_PATH` names another distribution, as it does for Electron itself. */
export function findElectron(given: Surroundings = {}): FoundElectron {
  const { env = process.env, system = process.platform } = given;
  const packageDir = "packageDir" in given ? given.packageDir : installedPackage();
  if (packageDir === undefined)
    return { isThere: false, reason: "Electron's package is not installed", remedy: "npm install" };
  const { version } = JSON.parse(readFileSync(join(packageDir, "package.json"), "utf8")) as {
    version: string;
  };
  const own = env["ELECTRON_OVERRIDE_DIST_PATH"] || undefined;
  const dist = own ?? join(packageDir, "dist");
  const path = join(dist, programs[system] ?? "electron");
  const remedy = own === undefined ? { remedy: fetching } : {};

  const found = read(join(dist, "version"))?.replace(/^v/, "");
  if (!allows(path, constants.F_OK))
    return {
      isThere: false,
      reason:
        own === undefined
          ? `the program of Electron ${version} was not downloaded`
          : `there is no Electron in ${own}`,
      ...remedy,
    };
  // A download that broke off has no version yet.
  if (found !== version)
    return {
      isThere: false,
      reason: `Electron ${version} is wanted and ${found === undefined ? "an unfinished one" : found} is there`,
      ...remedy,
    };
  if (!allows(path, constants.X_OK)) return { isThere: false, reason: `${path} may not be run` };
  if (system === "linux" && !env["DISPLAY"] && !env["WAYLAND_DISPLAY"])
    return { isThere: false, reason: "there is no screen to open a window on" };
  return { isThere: true, path };
}

function installedPackage(): string | undefined {
  try {
    return dirname(createRequire(import.meta.url).resolve("electron/package.json"));
  } catch {
    return undefined;
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim() || undefined;
  } catch {
    return undefined;
  }
}

function allows(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}
