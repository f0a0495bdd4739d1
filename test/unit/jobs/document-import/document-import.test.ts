// Reads documents in a real child process.

import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { strToU8, zipSync } from "fflate";
import { expect, it, onTestFinished } from "vitest";
import {
  createDocumentImport,
  type DocumentImportDeps,
} from "../../../../main/jobs/document-import/document-import.ts";
import { openArchive } from "../../../../main/jobs/document-import/read-archive.ts";
import { createNodePlatform } from "../../../../main/cli/platform.ts";
import type { ChildOptions, ChildPort } from "../../../../main/platform.ts";
import { isAlive, neverAborted, quietLog } from "../../../support/app.ts";
import { epubBytes } from "../../../support/hostile-documents.ts";
import { openTestFolder } from "../../../support/test-data.ts";

/** @param module replaces the real module @param maxHeapMb lowers the heap limit */
async function importer({
  module,
  maxHeapMb,
  ...options
}: Partial<DocumentImportDeps> & { module?: string; maxHeapMb?: number } = {}) {
  const folder = await openTestFolder();
  const platform = createNodePlatform(folder);
  const children: ChildPort[] = [];
  const launchChild = (path: string, given: ChildOptions = {}): ChildPort => {
    const child = platform.launchChild(
      module ?? path,
      maxHeapMb === undefined ? given : { maxHeapMb },
    );
    children.push(child);
    return child;
  };
  const documents = createDocumentImport({ launchChild, log: quietLog, ...options });
  onTestFinished(documents.close);
  const outputPath = join(folder, "result.json");
  return {
    folder,
    documents,
    outputPath,
    pids: () => children.map(({ pid }) => pid ?? 0),
    async read(
      name: string,
      bytes: Uint8Array | string,
      signal = neverAborted(),
    ): Promise<unknown> {
      const inputPath = join(folder, "input");
      await writeFile(inputPath, bytes);
      await documents.read({ name, inputPath, outputPath }, signal);
      return JSON.parse(await readFile(outputPath, "utf8"));
    },
  };
}

/** A child process that never responds, like a parser that hangs. */
async function hangingModule(
  folder: string,
  code = 'process.on("message", () => { for (;;); });',
): Promise<string> {
  const path = join(folder, "hanging.mjs");
  await writeFile(path, code);
  return path;
}

it("reads a chapter once that the spine of a book names 30,000 times", async () => {
  const { read, pids } = await importer();
  expect(await read("book.epub", epubBytes({ spineRepeats: 30_000 }))).toEqual({
    title: "A book",
    author: "Jane Doe",
    script: "# The First\n\nHello there.",
  });
  expect(pids().filter(isAlive)).toEqual([]);
});

it("reports why a document was rejected", async () => {
  const { read, outputPath } = await importer();
  await expect(read("a.odt", "hello")).rejects.toMatchObject({
    key: "unsupported_format",
    param: "name",
  });
  await expect(
    read("a.epub", epubBytes({ chapter: `<p>${"a".repeat(6_000_000)}</p>` })),
  ).rejects.toMatchObject({ key: "string_too_long" });
  expect(existsSync(outputPath)).toBe(false);
});

it("counts the unpacked bytes of an archive while it is unpacked", async () => {
  const archive = await openArchive(
    zipSync({ "a.txt": strToU8("a".repeat(1_000_000)), "b.txt": strToU8("b") }),
    { maxEntries: 2, maxBytes: 500_000 },
  );
  expect(await archive.read("b.txt")).toEqual(Buffer.from("b"));
  await expect(archive.read("a.txt")).rejects.toMatchObject({ key: "file_too_large" });
  archive.close();
  await expect(
    openArchive(zipSync({ "a.txt": strToU8("a"), "b.txt": strToU8("b") }), {
      maxEntries: 1,
      maxBytes: 1,
    }),
  ).rejects.toMatchObject({ key: "file_too_large" });
});

it("kills a process that exceeds the time limit, and fails only that document", async () => {
  const { folder } = await importer();
  const { read, pids } = await importer({ module: await hangingModule(folder), timeLimitMs: 300 });
  await expect(read("a.md", "text")).rejects.toMatchObject({
    key: "unsupported_format",
    message: expect.stringMatching(/takes longer than 0\.3 seconds/),
  });
  expect(pids().filter(isAlive)).toEqual([]);
});

it("ends a process that exceeds its memory limit", async () => {
  const { folder } = await importer();
  const greedy =
    'process.on("message", () => { const all = []; for (;;) all.push({ at: all.length }); });';
  const { read, pids } = await importer({
    module: await hangingModule(folder, greedy),
    maxHeapMb: 32,
  });
  await expect(read("a.md", "text")).rejects.toMatchObject({
    key: "unsupported_format",
    message: expect.stringMatching(/more memory/),
  });
  expect(pids().filter(isAlive)).toEqual([]);
});

it("kills the process when the request is aborted, and when the app closes", async () => {
  const { folder } = await importer();
  const { read, pids, documents } = await importer({ module: await hangingModule(folder) });
  const gone = new AbortController();
  const given = read("a.md", "text", gone.signal);
  await expect.poll(pids).toHaveLength(1);
  gone.abort(new Error("the client left"));
  await expect(given).rejects.toThrow("the client left");
  const another = read("a.md", "text").catch((error: unknown) => error);
  await expect.poll(pids).toHaveLength(2);
  await documents.close();
  expect(await another).toMatchObject({ key: "closing" });
  expect(pids().filter(isAlive)).toEqual([]);
});
