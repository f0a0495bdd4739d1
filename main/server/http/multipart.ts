// An upload form read as it arrives: text fields in any order, the recording streamed to a file of its own with
// backpressure, or kept in memory where it is small, its size and kind checked on the way. What is refused is still
// read, within limits, so that the client sees the refusal. The route interprets the fields.

import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { type FileHandle, unlink } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";

import { Busboy } from "@fastify/busboy";
import type { BusboyInstance } from "@fastify/busboy";

import { acceptedContainers, sniffBytes, sniffContainer } from "../../audio/codec/formats.ts";
import { AppError } from "../../contract/errors.ts";
import { maxUploadBytes } from "../../contract/openai.ts";
import { openForWriting, writeFile } from "../../storage/disk.ts";
import { checkDeclaredSize, checkDiskSpace, createBodyReader } from "./request-body.ts";
import type { BodyLimits, BodyReader } from "./request-body.ts";

export type UploadForm = {
  /** Values in the order they came; `name[]` is kept as `name`. */
  fields: ReadonlyMap<string, readonly string[]>;
  /** The same under the names they were sent by. */
  rawFields: ReadonlyMap<string, readonly string[]>;
  recording: Recording;
};

export type Recording = {
  /** The recording itself, where it is small. */
  readonly bytes: Uint8Array | undefined;
  /** Its file, which a small one has from the first call on. */
  path(): Promise<string>;
  /** Whoever got the form does this. */
  remove(): Promise<void>;
};

export type UploadOptions = {
  /** An existing folder for recordings in transit. */
  tempDir: () => string;
  /** Take the containers beyond the standard seven too. */
  moreFormats: boolean;
  limits: BodyLimits;
};

/** A clip of some seconds: whoever sends it on needs no file. */
const maxInMemoryBytes = 128 * 1024;

/** Text of a form: generous for a prompt, far from filling the memory. */
const formLimits = { fields: 64, parts: 72, fieldSize: 256 * 1024, headerPairs: 32 };

/** Of the whole form: a recording of the largest size, a generous text in every field that has a use, and what is between them. */
const maxFormBytes = maxUploadBytes + 2 ** 20;

const invalidFormError = (why: string) =>
  new AppError("invalid_request", `Could not parse multipart form: ${why}.`);

/** @throws AppError for everything wrong with the form or its file; no file is left behind then. */
export async function readUploadForm(
  request: Request,
  options: UploadOptions,
): Promise<UploadForm> {
  const body = createBodyReader(request, options.limits);
  checkDeclaredSize(body, maxFormBytes, fileTooLargeError);
  const fields = new Map<string, string[]>();
  const rawFields = new Map<string, string[]>();
  const failure = Promise.withResolvers<never>();
  failure.promise.catch(() => {});

  let upload: { stream: Readable; recording: Promise<Recording> } | undefined;
  let unexpectedFileField: string | undefined;

  const parser = createParser(request.headers.get("content-type"));
  parser.on("error", (error) => failure.reject(invalidFormError(describeParseError(error))));
  for (const limit of ["partsLimit", "fieldsLimit"] as const) {
    parser.on(limit, () => failure.reject(invalidFormError("it has too many fields")));
  }
  parser.on("field", (name, value, _isNameTruncated, isValueTruncated) => {
    const key = name?.replace(/\[\]$/, "") ?? "";
    if (isValueTruncated && key === "file") failure.reject(fileAsTextError());
    else if (isValueTruncated)
      failure.reject(
        new AppError("string_too_long", `'${key}' is longer than ${formLimits.fieldSize} bytes.`, {
          param: key,
        }),
      );
    fields.set(key, [...(fields.get(key) ?? []), value]);
    rawFields.set(name ?? "", [...(rawFields.get(name ?? "") ?? []), value]);
  });
  parser.on("file", (name, stream) => {
    // What the parser reports here it reports of itself too; unheard, it would end the process.
    stream.on("error", () => {});
    if (name === "file" && upload === undefined) {
      upload = { stream, recording: storeRecording(stream, options) };
      upload.recording.catch(failure.reject);
      return;
    }
    stream.resume();
    if (name === "file")
      failure.reject(
        new AppError("invalid_request", "Send one recording: 'file' came twice.", {
          param: "file",
        }),
      );
    else unexpectedFileField ??= name;
  });
  const finished = once(parser, "finish");
  finished.catch(() => {});

  let formBytes = 0;
  try {
    // What is small stays in memory.
    if ((body.declaredBytes ?? 0) > maxInMemoryBytes) await checkDiskSpace(body, options.tempDir());
    for (
      let chunk = await nextChunk(failure.promise, body);
      chunk !== undefined;
      chunk = await nextChunk(failure.promise, body)
    ) {
      formBytes += chunk.length;
      if (formBytes > maxFormBytes) throw fileTooLargeError();
      if (!parser.write(chunk)) await Promise.race([once(parser, "drain"), failure.promise]);
    }
    parser.end();
    await Promise.race([finished, failure.promise]);
    if (upload === undefined) throw missingFileError(fields, unexpectedFileField);
    return { fields, rawFields, recording: await upload.recording };
  } catch (error) {
    upload?.stream.destroy();
    await upload?.recording.then(({ remove }) => remove()).catch(() => {});
    await body.drain();
    throw error;
  }
}

function createParser(contentType: string | null): BusboyInstance {
  if (contentType === null || !/^multipart\/form-data\b/i.test(contentType)) {
    throw invalidFormError("the Content-Type must be multipart/form-data");
  }
  try {
    return new Busboy({
      headers: { "content-type": contentType },
      limits: formLimits,
      // curl calls every file octet-stream; some clients give a text field that type, others a file no name.
      isPartAFile: (name, type, fileName) =>
        fileName !== undefined || (name === "file" && type !== "text/plain"),
    });
  } catch {
    throw invalidFormError("the Content-Type names no boundary");
  }
}

const describeParseError = (error: unknown) =>
  error instanceof Error && /unexpected end/i.test(error.message)
    ? "it ends before its closing boundary"
    : "it is malformed";

const fileTooLargeError = (): AppError =>
  new AppError(
    "file_too_large",
    `File too large: the maximum is 25 MB (${maxUploadBytes} bytes).`,
    { param: "file" },
  );

const fileAsTextError = (): AppError =>
  new AppError(
    "invalid_request",
    "'file' arrived as text, not as an upload. With curl, write -F file=@recording.mp3, with the @.",
    { param: "file" },
  );

function missingFileError(
  fields: ReadonlyMap<string, unknown>,
  unexpectedFileField: string | undefined,
): AppError {
  if (fields.has("file")) return fileAsTextError();
  const hint =
    unexpectedFileField === undefined
      ? ""
      : ` A file came in the field '${unexpectedFileField}' instead.`;
  return new AppError("missing_field", `You must provide the field 'file'.${hint}`, {
    param: "file",
  });
}

/** A promise that goes on for long keeps the result of every race it was in: here that is nothing. */
async function nextChunk(
  failure: Promise<never>,
  body: BodyReader,
): Promise<Uint8Array | undefined> {
  let chunk: Uint8Array | undefined;
  await Promise.race([body.next().then((next) => void (chunk = next)), failure]);
  return chunk;
}

/** @throws AppError for a kind not taken, more than 25 MB, or nothing at all; no file is left behind then */
async function storeRecording(
  part: Readable,
  { tempDir, moreFormats }: UploadOptions,
): Promise<Recording> {
  const path = join(tempDir(), `upload-${randomUUID()}`);
  let firstChunks: Buffer[] = [];
  let isContainerChecked = false;
  let sizeBytes = 0;
  let file: FileHandle | undefined;
  try {
    for await (const chunk of part as AsyncIterable<Buffer>) {
      sizeBytes += chunk.length;
      if (sizeBytes > maxUploadBytes) {
        throw fileTooLargeError();
      }
      if (file === undefined) firstChunks.push(chunk);
      else await file.writeFile(chunk);
      if (!isContainerChecked && sizeBytes >= sniffBytes) {
        checkContainer(Buffer.concat(firstChunks), moreFormats);
        isContainerChecked = true;
      }
      if (file === undefined && sizeBytes > maxInMemoryBytes) {
        file = await openForWriting(path, "wx", 0o600);
        await file.writeFile(Buffer.concat(firstChunks));
        firstChunks = [];
      }
    }
    if (sizeBytes === 0) {
      throw new AppError(
        "audio_too_short",
        "Audio file is too short. Minimum audio length is 0.1 seconds.",
        { param: "file" },
      );
    }
    const bytes = Buffer.concat(firstChunks);
    if (!isContainerChecked) checkContainer(bytes, moreFormats);
    return file === undefined
      ? createInMemoryRecording(path, bytes)
      : { bytes: undefined, path: async () => path, remove: () => unlink(path).catch(() => {}) };
  } catch (error) {
    if (file !== undefined) await unlink(path).catch(() => {});
    throw error;
  } finally {
    await file?.close();
  }
}

function createInMemoryRecording(path: string, bytes: Uint8Array): Recording {
  let writing: Promise<void> | undefined;
  return {
    bytes,
    async path() {
      await (writing ??= writeFile(path, bytes, { flag: "wx", mode: 0o600 }));
      return path;
    },
    async remove() {
      await writing?.then(() => unlink(path)).catch(() => {});
    },
  };
}

function checkContainer(firstBytes: Uint8Array, moreFormats: boolean): void {
  const accepted = acceptedContainers(moreFormats);
  const container = sniffContainer(firstBytes);
  if (container !== undefined && accepted.includes(container)) return;
  const names = accepted.map((name) => `'${name}'`).join(", ");
  throw new AppError("unsupported_format", `Invalid file format. Supported formats: [${names}]`, {
    param: "file",
  });
}
