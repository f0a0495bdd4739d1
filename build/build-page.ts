// Builds the window's page with Vite. Runs as a process of its own, so that the tools' memory is freed afterwards. Used
// by `npm run build`, and by a start without a built page (built-page.ts).

import { readdir, readFile, writeFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { build as viteBuild } from "vite";
import { buildFolder, projectDir } from "./built-folder.ts";
import { builtPageDir, pageFolder } from "./page-folder.ts";

/** Other files, such as audio, images and fonts, are already compressed. */
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

// The parent process has exited.
process.on("disconnect", () => process.exit(1));

// Vite prefers this variable to its mode: the development build of React is twice as large.
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
