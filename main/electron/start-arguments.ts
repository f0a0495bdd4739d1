// What a start of the app was asked: the settings that the command line's `serve` takes as flags, files to open, what
// to do at once.

import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { z } from "zod";
import { defaultDataDir } from "../processes/host-common.ts";
import { readSettings, type Settings, settingSources } from "../storage/settings/settings.ts";

/** What one start asks of the one that runs already. */
export const openRequest = z.object({
  /** Absolute. */
  paths: z.array(z.string().max(32_768)).max(10_000),
  dictates: z.boolean(),
  /** By the system at login: no window at first. */
  isHidden: z.boolean(),
});
export type OpenRequest = z.infer<typeof openRequest>;

export type Start = { settings: Settings; request: OpenRequest };

/**
 * @param args of the process, behind the program
 * @param appPath the app's own folder or file, which Electron is given as an argument while it is not packed
 * @throws AppError naming the setting that makes no sense
 */
export function readStart(
  args: readonly string[],
  { appPath, cwd, env }: { appPath: string; cwd: string; env: NodeJS.ProcessEnv },
): Start {
  const appArgIndex = args.findIndex((arg) => realPath(resolve(cwd, arg)) === realPath(appPath));
  const flags = Object.fromEntries(
    Object.values(settingSources).map(({ flag }) => [flag, { type: "string" as const }]),
  );
  // Electron and the system add switches of their own.
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

/** Some desktops name files by their URLs. */
function toPath(file: string, cwd: string): string {
  try {
    return file.startsWith("file:") ? fileURLToPath(file) : resolve(cwd, file);
  } catch {
    return resolve(cwd, file);
  }
}

/** It may be given by a link. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
