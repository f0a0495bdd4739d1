// Reports the size of the packed app and of its parts.

import { readdir, stat } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";

const mb = (bytes: number): string => `${(bytes / 1e6).toFixed(1).padStart(8)} MB`;

/** @param outDir folder with the packed apps @param installers paths of installers */
export async function sizeReport(outDir: string, installers: readonly string[]): Promise<string> {
  const lines: string[] = [];
  for (const resources of await resourceFolders(outDir)) {
    const appDir = resources.slice(outDir.length + 1).split(sep)[0] ?? "";
    const parts = Map.groupBy(await listFiles(join(outDir, appDir)), ({ path }) =>
      categoryOf(relative(resources, path)),
    );
    const totals = [...parts]
      .map(
        ([part, files]) =>
          [part, files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)] as const,
      )
      .sort((a, b) => b[1] - a[1]);
    lines.push(
      `${mb(totals.reduce((sum, [, bytes]) => sum + bytes, 0))}  ${appDir}`,
      ...totals.map(([part, bytes]) => `${mb(bytes)}    ${part}`),
    );
  }
  for (const path of installers) lines.push(`${mb((await stat(path)).size)}  ${basename(path)}`);
  return `${lines.join("\n")}\n`;
}

async function resourceFolders(outDir: string): Promise<string[]> {
  return (await listFiles(outDir))
    .filter(({ path }) => basename(path) === "app.asar")
    .map(({ path }) => dirname(path));
}

/** @param path relative to the resources folder */
function categoryOf(path: string): string {
  const [first, ...rest] = path.split(sep);
  if (first === "app.asar") return "the app (app.asar)";
  if (first !== "app.asar.unpacked") return "Electron and notices";
  return rest[0] === "node_modules"
    ? `libraries of ${rest.slice(1, rest[1]?.startsWith("@") ? 3 : 2).join("/")}`
    : "weights";
}

async function listFiles(dir: string): Promise<{ path: string; sizeBytes: number }[]> {
  const entries = (await readdir(dir, { recursive: true, withFileTypes: true })).filter((entry) =>
    entry.isFile(),
  );
  return Promise.all(
    entries
      .map((entry) => join(entry.parentPath, entry.name))
      .map(async (path) => ({ path, sizeBytes: (await stat(path)).size })),
  );
}
