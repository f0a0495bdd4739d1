// Builds the window's page with Vite into the given folder: a module of its own, run as a process, so that what
// the tools take of memory is gone with them. `npm run build` runs it, and a start that finds no page (built-page.ts).

import { readdir, readFile, writeFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { build as viteBuild } from "vite";
import { buildFolder, projectDir } from "./built-folder.ts";
import { builtPageDir, pageFolder } from "./page-folder.ts";

/** What is not worth it: sounds, pictures and fonts are compressed in themselves. */
const compressibleExtensions = new Set([
  ".html",
  ".js",
  ".css",
  ".json",
  ".svg",
  ".txt",
  ".webmanifest",
  ".wasm",
]);

// Whoever asked for it is gone.
process.on("disconnect", () => process.exit(1));

// Vite believes the environment before its mode: React for developers is twice the size.
process.env["NODE_ENV"] = "production";
try {
  await buildFolder(pageFolder, async (draft) => {
    await viteBuild({
      configFile: join(projectDir, "vite.config.ts"),
      mode: "production",
      logLevel: "warn",
      build: { outDir: draft, emptyOutDir: true },
    });
    await addCompressedCopies(draft);
  });
  process.stdout.write(`The window's page is in ${builtPageDir}.\n`);
} catch (error) {
  process.stderr.write(
    `hearsay: the window's page could not be built: ${(error as Error).message}\n`,
  );
  process.exitCode = 1;
}
process.exit();

async function addCompressedCopies(dir: string): Promise<void> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter(
    (each) => each.isFile() && compressibleExtensions.has(extname(each.name)),
  )) {
    const path = join(entry.parentPath, entry.name);
    const bytes = await readFile(path);
    const [brotli, gzipped] = await Promise.all([
      promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
      promisify(gzip)(bytes, { level: 9 }),
    ]);
    if (brotli.length < bytes.length) await writeFile(`${path}.br`, brotli);
    if (gzipped.length < bytes.length) await writeFile(`${path}.gz`, gzipped);
  }
}
