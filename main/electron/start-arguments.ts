// Parses the arguments of a start: the settings of `serve` on the command line, files to open, and actions.

import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { z } from "zod";
import { defaultDataDir } from "../processes/host-common.ts";
import {
  readSettings,
  settingFlags,
  type SettingName,
  type Settings,
  settingSources,
} from "../storage/settings/settings.ts";

/** Request from a second start to the running app. */
export const openRequest = z.object({
  /** Absolute paths. */
  paths: z.array(z.string().max(32_768)).max(10_000),
  dictates: z.boolean(),
  /** Started by the system at login: do not show the window. */
  isHidden: z.boolean(),
});
export type OpenRequest = z.infer<typeof openRequest>;

export type Start = { settings: Settings; request: OpenRequest };

/**
 * @param args of the process, after the program
 * @param appPath the app's folder or file, which is an argument of Electron if the app is not packed
 * @throws AppError naming the invalid setting
 */
export function readStart(
  args: readonly string[],
  { appPath, cwd, env }: { appPath: string; cwd: string; env: NodeJS.ProcessEnv },
): Start {
  const appArgIndex = args.findIndex((arg) => realPath(resolve(cwd, arg)) === realPath(appPath));
  const flags = settingFlags(Object.keys(settingSources) as SettingName[]);
  // Not strict: Electron and the system add their own switches.
  const { values, positionals } = parseArgs({
    args: args.slice(appArgIndex + 1),
    options: { ...flags, dictate: { type: "boolean" }, hidden: { type: "boolean" } },
    strict: false,
    allowPositionals: true,
  });
  const settings = readSettings(values, env, { dataDir: defaultDataDir(env) });
  return {
    settings: { ...settings, dataDir: resolve(cwd, settings.dataDir) },
    request: {
      paths: positionals.map((file) => toPath(file, cwd)),
      dictates: values["dictate"] === true,
      isHidden: values["hidden"] === true,
    },
  };
}

/** Some desktops pass files as URLs. */
function toPath(file: string, cwd: string): string {
  try {
    return file.startsWith("file:") ? fileURLToPath(file) : resolve(cwd, file);
  } catch {
    return resolve(cwd, file);
  }
}

/** The path may be a symbolic link. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
