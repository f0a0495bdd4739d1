// The built page: small enough, nothing inline, compressed copies next to their originals.

import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { buildFolder, distDir } from "../../build/built-folder.ts";
import { ensureBuiltPage } from "../../build/built-page.ts";
import { isPageBuilt } from "../../build/page-folder.ts";
import { neverAborted } from "../support/app.ts";
import { interfaceLanguageCodes } from "../../main/contract/interface-languages.ts";
import { createOwnedFolder } from "../../main/storage/owned-folder.ts";
import { openFolder } from "../support/test-data.ts";

const pageDir = await ensureBuiltPage(() => {}, neverAborted());
const assetsDir = join(pageDir, "assets");
const assets = await readdir(assetsDir);
const sizes = async (ending: string, beginning = ""): Promise<number[]> =>
  Promise.all(
    assets
      .filter((name) => name.startsWith(beginning) && name.endsWith(ending))
      .map(async (name) => (await readFile(join(assetsDir, name))).length),
  );
const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

it("is not built again while its sources are unchanged", async () => {
  expect(await isPageBuilt()).toBe(true);
});

it("loads at most 350 kB of scripts for the first page, of 430 kB with all pages, gzipped", async () => {
  const scripts = await sizes(".js.gz");
  expect(scripts.length).toBeGreaterThan(8);
  // A window loads the texts of one language, and the scripts of one page.
  const texts = await Promise.all(
    interfaceLanguageCodes.map(async (language) => sum(await sizes(".js.gz", `${language}-`))),
  );
  expect(Math.min(...texts)).toBeGreaterThan(0);
  expect(sum(scripts) - sum(texts) + Math.max(...texts)).toBeLessThan(430_000);
  const pages = await sizes(".js.gz", "page-");
  expect(pages.length).toBeGreaterThan(5);
  const others = sum(scripts) - sum(texts) - sum(pages);
  expect(others + Math.max(...texts) + Math.max(...pages)).toBeLessThan(350_000);
  const index = await readFile(join(pageDir, "index.html"), "utf8");
  const first = assets.filter((name) => name.endsWith(".js") && index.includes(name));
  expect(first.length).toBeLessThan(scripts.length);
});

it("contains nothing inline", async () => {
  const index = await readFile(join(pageDir, "index.html"), "utf8");
  expect(index).not.toMatch(/<style|style="|<script(?![^>]*src=)|javascript:|data:/);
});

it("has compressed copies with the same content", async () => {
  const undone = { ".br": brotliDecompressSync, ".gz": gunzipSync };
  for (const [ending, open] of Object.entries(undone)) {
    const copies = assets.filter((name) => name.endsWith(ending));
    expect(copies).not.toEqual([]);
    for (const copy of copies) {
      const plain = await readFile(join(assetsDir, copy.slice(0, -ending.length)));
      expect(open(await readFile(join(assetsDir, copy))).equals(plain)).toBe(true);
    }
  }
});

it("removes the leftovers of a killed build, but nothing of one that is still running", async () => {
  const folder = await openFolder();
  await mkdir(distDir, { recursive: true });
  const killed = join(distDir, ".draft-killed");
  const goingOn = createOwnedFolder(distDir, ".draft-");
  try {
    await mkdir(killed, { recursive: true });
    // A lock file that no process holds.
    await writeFile(`${killed}.lock`, "");
    const built = join(folder.path, "built");
    await buildFolder({ dir: built, sources: ["vite.config.ts"] }, (draft) =>
      writeFile(join(draft, "a.txt"), "made"),
    );
    expect(await readFile(join(built, "a.txt"), "utf8")).toBe("made");
    expect([killed, goingOn.path].map((draft) => existsSync(draft))).toEqual([false, true]);
  } finally {
    goingOn.remove();
    await rm(killed, { recursive: true, force: true });
    await folder.remove();
  }
});
