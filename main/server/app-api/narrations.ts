// /app/narrations, their takes and files, and import of texts as scripts.

import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { AppError } from "../../contract/errors.ts";
import { type AudiobookDetailsChange, narrationExport } from "../../contract/narration.ts";
import { type ZipEntry, zipArchive } from "../../library/archive/zip.ts";
import { detectCoverType } from "../../audiobook/audiobook-details.ts";
import type { AudiobookExport } from "../../jobs/narration/audiobook-export.ts";
import type { DocumentImport } from "../../jobs/document-import/document-import.ts";
import type { NarrationJobs } from "../../jobs/narration/narration-jobs.ts";
import { attachmentHeader, safeFileName } from "../http/attachment.ts";
import { fileResponse } from "../http/file-response.ts";
import { createBodyReader, readJsonObject, saveBody } from "../http/request-body.ts";
import { streamResponse } from "../http/stream-response.ts";
import { parseFields } from "../../contract/validation.ts";
import type { Handlers, RawRoute } from "./handlers.ts";
import type { AppApiRoutes } from "./handlers.ts";

type Names =
  | "createNarration"
  | "readBookDetails"
  | "changeBookDetails"
  | "readNarration"
  | "changeNarration"
  | "findUnknownWords"
  | "proposeCast"
  | "makeNarration"
  | "chooseTake"
  | "checkReading";

export type NarrationRouteDeps = {
  narrationJobs: NarrationJobs;
  documentImport: DocumentImport;
  /** An existing folder for uploaded documents. */
  tempDir: () => string;
  /** Of these English words, those in no lexicon. */
  unknownWords(words: readonly string[], signal: AbortSignal): Promise<string[]>;
};

/** Enough to go through by hand. */
const maxUnknownWords = 200;

export function narrationRoutes(deps: NarrationRouteDeps): AppApiRoutes {
  const { narrationJobs } = deps;
  return {
    handlers: narrationHandlers(deps),
    rawRoutes: [
      takeFileRoute(narrationJobs),
      narrationPeaksRoute(narrationJobs),
      coverFileRoute(narrationJobs),
      narrationFileRoute(narrationJobs),
      importScriptRoute(deps),
    ],
  };
}

const narrationHandlers = ({
  narrationJobs,
  unknownWords,
}: NarrationRouteDeps): Handlers<Names> => ({
  async findUnknownWords(_, id, signal) {
    const counts = await narrationJobs.countWords(id);
    const words = await unknownWords([...counts.keys()], signal);
    return {
      words: words
        .map((word) => ({ word, count: counts.get(word) ?? 0 }))
        .sort((a, b) => b.count - a.count)
        .slice(0, maxUnknownWords),
    };
  },
  createNarration: async ({ author, cover, ...fields }) =>
    narrationJobs.createWithDetails(fields, { author, cover: decodeCover(cover) }),
  readBookDetails: (_, id) => readDetails(narrationJobs, id),
  async changeBookDetails({ cover, ...words }, id) {
    await narrationJobs.saveDetails(id, { ...words, cover: decodeCover(cover) });
    return readDetails(narrationJobs, id);
  },
  readNarration: (_, id) => narrationJobs.read(id),
  changeNarration: (fields, id) => narrationJobs.change(id, fields),
  proposeCast: ({ narrator }, id) => narrationJobs.proposeCast(id, narrator),
  makeNarration: (fields, id) => narrationJobs.generate(id, fields),
  chooseTake: ({ sentenceId, takeId }, id) => narrationJobs.chooseTake(id, sentenceId, takeId),
  checkReading: (_, id) => narrationJobs.checkSentences(id),
});

/**
 * Parsing a script of several megabytes takes a second, so it is prepared in slices before the synchronous operation.
 */
async function prepareAndRun<Result>(
  narrationJobs: NarrationJobs,
  id: string,
  action: () => Result | Promise<Result>,
): Promise<Result> {
  await narrationJobs.prepare(id);
  return action();
}

/** @throws AppError if it is no picture, before anything is generated with it */
function decodeCover(base64: AudiobookDetailsChange["cover"]): Uint8Array | null | undefined {
  if (typeof base64 !== "string") return base64;
  const cover = Buffer.from(base64, "base64");
  detectCoverType(cover);
  return cover;
}

async function readDetails(
  narrationJobs: NarrationJobs,
  id: string,
): Promise<{ title: string; author: string; hasCover: boolean }> {
  const { title, author, coverPath } = await narrationJobs.readDetails(id);
  return { title, author, hasCover: coverPath !== undefined };
}

const takeFileRoute = (narrationJobs: NarrationJobs): RawRoute => ({
  method: "GET",
  path: "/app/items/:id/takes/:take",
  respond: (request, { id = "", take = "" }) =>
    prepareAndRun(narrationJobs, id, () =>
      fileResponse(request, narrationJobs.takePath(id, take), "audio/wav"),
    ),
});

const narrationPeaksRoute = (narrationJobs: NarrationJobs): RawRoute => ({
  method: "GET",
  path: "/app/items/:id/narration-peaks",
  async respond(_, { id = "" }) {
    await narrationJobs.prepare(id);
    const bytes = await narrationJobs.peaks(id);
    return new Response(bytes, {
      headers: {
        "content-type": "application/octet-stream",
        "content-length": String(bytes.length),
        "cache-control": "no-store",
      },
    });
  },
});

const coverFileRoute = (narrationJobs: NarrationJobs): RawRoute => ({
  method: "GET",
  path: "/app/items/:id/cover",
  async respond(request, { id = "" }) {
    const { coverPath, coverType } = await narrationJobs.readDetails(id);
    if (coverPath === undefined || coverType === undefined)
      throw new AppError("narration.noCover", {}, { param: "id" });
    return fileResponse(request, coverPath, coverType);
  },
});

const maxExportBytes = 64 * 2 ** 10;

const mimeTypes: Readonly<Record<string, string>> = {
  mp3: "audio/mpeg",
  m4b: "audio/mp4",
  opus: "audio/ogg",
  flac: "audio/flac",
  wav: "audio/wav",
  epub: "application/epub+zip",
  srt: "application/x-subrip",
  vtt: "text/vtt; charset=utf-8",
};

const narrationFileRoute = (narrationJobs: NarrationJobs): RawRoute => ({
  method: "POST",
  path: "/app/items/:id/narration-file",
  async respond(request, { id = "" }, context) {
    const options = parseFields(
      narrationExport,
      await readJsonObject(request, maxExportBytes, context.limits),
    );
    await narrationJobs.prepare(id);
    const exported = await narrationJobs.exportAudiobook(id, options, request.signal);
    const names = exported.files.map(({ name, extension }) => `${safeFileName(name)}.${extension}`);
    const [singleFile] = exported.files;
    const isSingleFile = exported.files.length === 1 && singleFile !== undefined;
    const bytes = isSingleFile
      ? createReadStream(singleFile.path)[Symbol.asyncIterator]()
      : zipArchive(zipEntries(exported, names));
    const source = {
      async next() {
        const { value, done } = (await bytes.next()) as IteratorResult<Uint8Array, undefined>;
        if (done === true) await exported.remove();
        return value;
      },
      async close() {
        await bytes.return?.(undefined);
        await exported.remove();
      },
    };
    const [name = ""] = names;
    const headers = isSingleFile
      ? { "content-type": mimeTypes[singleFile.extension] ?? "", ...attachmentHeader(name) }
      : {
          "content-type": "application/zip",
          ...attachmentHeader(`${safeFileName(exported.title)}.zip`),
        };
    return streamResponse(source, new AbortController(), headers);
  },
});

async function* zipEntries(
  { files }: AudiobookExport,
  names: readonly string[],
): AsyncGenerator<ZipEntry> {
  for (const [index, { path }] of files.entries()) {
    const { size, mtimeMs } = await stat(path);
    yield {
      name: names[index] ?? "",
      modifiedAtMs: mtimeMs,
      sizeBytes: size,
      isCompressed: false,
      bytes: () => createReadStream(path),
    };
  }
}

const scriptQuery = z.object({ name: z.string().max(1000).default("") });
const maxScriptFileBytes = 100 * 2 ** 20;

const importScriptRoute = ({ documentImport, tempDir }: NarrationRouteDeps): RawRoute => ({
  method: "POST",
  path: "/app/scripts",
  async respond(request, _, { limits }) {
    const { name } = parseFields(
      scriptQuery,
      Object.fromEntries(new URL(request.url).searchParams),
    );
    const inputPath = join(tempDir(), `document-${randomUUID()}`);
    const outputPath = `${inputPath}.json`;
    try {
      await saveBody(
        createBodyReader(request, limits),
        inputPath,
        maxScriptFileBytes,
        () => new AppError("file.tooLarge", { megabytes: maxScriptFileBytes / 2 ** 20 }),
      );
      await documentImport.read({ name, inputPath, outputPath }, request.signal);
      const json = await readFile(outputPath);
      return new Response(json, {
        headers: {
          "content-type": "application/json",
          "content-length": String(json.length),
          "cache-control": "no-store",
        },
      });
    } finally {
      await Promise.all([inputPath, outputPath].map((path) => rm(path, { force: true })));
    }
  },
});
