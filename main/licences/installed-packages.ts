// Which installed packages the app takes along, and which nothing loads though others name them as theirs.

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";

export type InstalledPackage = {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
  readonly what: string;
  readonly dir: string;
  readonly source?: string | undefined;
};

/** Package → what it loads only while it is installed, or for work that the app has none of (WebRTC). */
const neverLoaded: Readonly<Record<string, readonly string[]>> = {
  "node-av": ["unzipper", "werift"],
  "onnxruntime-node": ["adm-zip", "global-agent"],
};

const names = z.record(z.string(), z.string()).default({});
const packageFile = z.object({
  name: z.string(),
  version: z.string(),
  license: z.string().default("not stated"),
  description: z.string().default(""),
  repository: z
    .union([z.string(), z.object({ url: z.string() }).transform(({ url }) => url)])
    .optional(),
  dependencies: names,
  optionalDependencies: names,
});

/** The packages and all they need, each version once, by name. @param from a folder below whose parents they are installed */
export async function loadedPackages(
  from: string,
  wanted: readonly string[],
): Promise<InstalledPackage[]> {
  return closure(
    from,
    wanted,
    (name, need) => neverLoaded[name]?.includes(need) !== true && !need.startsWith("@types/"),
  );
}

/** Names of what the packages ask to be installed and nothing loads. */
export async function unloadedPackages(from: string, wanted: readonly string[]): Promise<string[]> {
  const loaded = new Set((await loadedPackages(from, wanted)).map(({ name }) => name));
  const all = await closure(from, wanted, () => true);
  return [...new Set(all.map(({ name }) => name))].filter((name) => !loaded.has(name));
}

async function closure(
  from: string,
  wanted: readonly string[],
  loads: (name: string, need: string) => boolean,
): Promise<InstalledPackage[]> {
  const found = new Map<string, InstalledPackage>();
  const walk = async (parentDir: string, name: string, isOptional: boolean): Promise<void> => {
    const dir = folderOf(parentDir, name);
    if (dir === undefined && isOptional) return;
    if (dir === undefined) throw new Error(`${name} is not installed, which ${parentDir} needs`);
    if (found.has(dir)) return;
    const { version, license, description, repository, dependencies, optionalDependencies } =
      packageFile.parse(JSON.parse(await readFile(join(dir, "package.json"), "utf8")));
    found.set(dir, { name, version, licence: license, what: description, dir, source: repository });
    const needs = Object.keys({ ...dependencies, ...optionalDependencies }).filter((need) =>
      loads(name, need),
    );
    for (const need of needs) await walk(dir, need, Object.hasOwn(optionalDependencies, need));
  };
  for (const name of wanted) await walk(from, name, false);
  return [...found.values()].sort(
    (a, b) => a.name.localeCompare(b.name) || a.version.localeCompare(b.version),
  );
}

/** As Node finds it: in the nearest parent's node_modules. */
function folderOf(from: string, name: string): string | undefined {
  for (let dir = from; dir !== dirname(dir); dir = dirname(dir)) {
    const path = join(dir, "node_modules", name);
    if (existsSync(join(path, "package.json"))) return path;
  }
  return undefined;
}
