// Lists installed packages that the app ships, and those that are installed as dependencies but never loaded.

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

/** Package → dependencies it loads only if installed, elsewhere (Bare), or for features that the app does not use. */
const unusedDependencies: Readonly<Record<string, readonly string[]>> = {
  "node-av": ["unzipper", "werift"],
  "onnxruntime-node": ["adm-zip", "global-agent"],
  "tar-stream": ["bare-fs"],
};

/** Packages that state their licence only in a file of its own. */
const licencesInFiles: Readonly<Record<string, string>> = { "png-js": "MIT" };

const versionRanges = z.record(z.string(), z.string()).default({});
const packageJsonSchema = z.object({
  name: z.string(),
  version: z.string(),
  license: z.string().default("not stated"),
  description: z.string().default(""),
  repository: z
    .union([z.string(), z.object({ url: z.string() }).transform(({ url }) => url)])
    .optional(),
  dependencies: versionRanges,
  optionalDependencies: versionRanges,
});

/**
 * The packages and all their dependencies, each version once, sorted by name.
 * @param from packages are searched in node_modules of this folder and its parents
 */
export async function listLoadedPackages(
  from: string,
  packageNames: readonly string[],
): Promise<InstalledPackage[]> {
  return dependencyClosure(
    from,
    packageNames,
    (name, dependency) =>
      unusedDependencies[name]?.includes(dependency) !== true && !dependency.startsWith("@types/"),
  );
}

/** Names of packages that are installed as dependencies but never loaded. */
export async function listUnloadedPackages(
  from: string,
  packageNames: readonly string[],
): Promise<string[]> {
  const loaded = new Set((await listLoadedPackages(from, packageNames)).map(({ name }) => name));
  const all = await dependencyClosure(from, packageNames, () => true);
  return [...new Set(all.map(({ name }) => name))].filter((name) => !loaded.has(name));
}

async function dependencyClosure(
  from: string,
  packageNames: readonly string[],
  isIncluded: (name: string, dependency: string) => boolean,
): Promise<InstalledPackage[]> {
  const packagesByDir = new Map<string, InstalledPackage>();
  const visit = async (parentDir: string, name: string, isOptional: boolean): Promise<void> => {
    const dir = findPackageDir(parentDir, name);
    if (dir === undefined && isOptional) return;
    if (dir === undefined) throw new Error(`${name} is not installed, which ${parentDir} needs`);
    if (packagesByDir.has(dir)) return;
    const { version, license, description, repository, dependencies, optionalDependencies } =
      packageJsonSchema.parse(JSON.parse(await readFile(join(dir, "package.json"), "utf8")));
    packagesByDir.set(dir, {
      name,
      version,
      licence: licencesInFiles[name] ?? license,
      what: description,
      dir,
      source: repository,
    });
    const dependencyNames = Object.keys({ ...dependencies, ...optionalDependencies }).filter(
      (dependency) => isIncluded(name, dependency),
    );
    for (const dependency of dependencyNames)
      await visit(dir, dependency, Object.hasOwn(optionalDependencies, dependency));
  };
  for (const name of packageNames) await visit(from, name, false);
  return [...packagesByDir.values()].sort(
    (a, b) => a.name.localeCompare(b.name) || a.version.localeCompare(b.version),
  );
}

/** Node's module resolution: the nearest parent's node_modules. */
function findPackageDir(from: string, name: string): string | undefined {
  for (let dir = from; dir !== dirname(dir); dir = dirname(dir)) {
    const path = join(dir, "node_modules", name);
    if (existsSync(join(path, "package.json"))) return path;
  }
  return undefined;
}
