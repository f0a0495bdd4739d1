// Parses an upload form while it arrives: text fields in any order; the recording goes to a file with backpressure, or
// to memory if it is small, with size and container checked on the way. A rejected form is still read, within limits,
// so that the client gets the response. The route interprets the fields.

import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { type FileHandle, unlink } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";

import { Busboy } from "@fastify/busboy";
import type { BusboyInstance } from "@fastify/busboy";

import { acceptedContainers, sniffBytes, sniffContainer } from "../../audio/codec/formats.ts";
import { AppError } from "../../contract/errors.ts";
import { createMessage } from "../../contract/messages/messages.ts";
import type { MessageId } from "../../contract/messages/messages.ts";
import { maxKnownSpeakers, maxUploadBytes } from "../../contract/openai.ts";
import { openForWriting } from "../../storage/disk.ts";
import { removeMediaFile } from "../../storage/media-file.ts";
import { checkDeclaredSize, checkDiskSpace, createBodyReader } from "./request-body.ts";
import type { BodyLimits, BodyReader } from "./request-body.ts";

export type UploadForm = {
  /** Values in order of arrival; `name[]` becomes `name`. */
  fields: ReadonlyMap<string, readonly string[]>;
  /** The same by the original names. */
  rawFields: ReadonlyMap<string, readonly string[]>;
  recording: Recording;
};

export type Recording = {
  /** Of its file. */
  readonly path: string;
  /** Content of a small recording, whose file is only written where one is needed. */
  readonly bytes: Uint8Array | undefined;
  /** The form's receiver must call this. */
  remove(): Promise<void>;
};

export type UploadOptions = {
  /** An existing folder for uploads. */
  tempDir: () => string;
  /** Accept more containers than OpenAI's seven. */
  moreFormats: boolean;
  limits: BodyLimits;
};

/** A clip of some seconds, which can be forwarded without a file. */
const maxInMemoryBytes = 128 * 1024;

/** Limits for text fields: generous for a prompt, but far from filling the memory. */
const maxFieldBytes = 256 * 1024;
/** Ten seconds of uncompressed audio in base64. */
const maxAudioFieldBytes = 4 * 2 ** 20;
const formLimits = { fields: 64, parts: 72, fieldSize: maxAudioFieldBytes, headerPairs: 32 };
const maxBytesOf = (field: string): number =>
  field === "known_speaker_references" ? maxAudioFieldBytes : maxFieldBytes;

/** Limit of the whole form: the largest recordings, generous text in every useful field, and the boundaries. */
const maxFormBytes = maxUploadBytes + maxKnownSpeakers * maxAudioFieldBytes + 2 ** 20;

type FormFault = Extract<MessageId, `form.${string}`>;
const invalidFormError = (why: FormFault) =>
  new AppError("request.formMalformed", { why: createMessage(why) });

/** @throws AppError for every fault of the form or its file; leaves no file behind then */
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
    parser.on(limit, () => failure.reject(invalidFormError("form.tooManyFields")));
  }
  parser.on("field", (name, value, _isNameTruncated, isValueTruncated) => {
    const key = name?.replace(/\[\]$/, "") ?? "";
    const isTooLong = isValueTruncated || Buffer.byteLength(value) > maxBytesOf(key);
    if (isTooLong && key === "file") failure.reject(fileAsTextError());
    else if (isTooLong)
      failure.reject(
        new AppError("field.tooLong", { field: key, max: maxBytesOf(key) }, { param: key }),
      );
    fields.set(key, [...(fields.get(key) ?? []), value]);
    rawFields.set(name ?? "", [...(rawFields.get(name ?? "") ?? []), value]);
  });
  parser.on("file", (name, stream) => {
    // The parser itself reports the same error; an unhandled event would end the process.
    stream.on("error", () => {});
    if (name === "file" && upload === undefined) {
      upload = { stream, recording: storeRecording(stream, options) };
      upload.recording.catch(failure.reject);
      return;
    }
    stream.resume();
    if (name === "file") failure.reject(new AppError("request.manyFiles", {}, { param: "file" }));
    else unexpectedFileField ??= name;
  });
  const finished = once(parser, "finish");
  finished.catch(() => {});

  let formBytes = 0;
  try {
    // Small uploads stay in memory.
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
    throw invalidFormError("form.wrongType");
  }
  try {
    return new Busboy({
      headers: { "content-type": contentType },
      limits: formLimits,
      // curl declares every file as octet-stream. Some clients give text fields that type, others send files without a
      // name.
      isPartAFile: (name, type, fileName) =>
        fileName !== undefined || (name === "file" && type !== "text/plain"),
    });
  } catch {
    throw invalidFormError("form.noBoundary");
  }
}

const describeParseError = (error: unknown): FormFault =>
  error instanceof Error && /unexpected end/i.test(error.message)
    ? "form.truncated"
    : "form.malformed";

const fileTooLargeError = (): AppError =>
  new AppError("request.fileTooLarge", { bytes: maxUploadBytes }, { param: "file" });

const fileAsTextError = (): AppError => new AppError("request.fileAsText", {}, { param: "file" });

function missingFileError(
  fields: ReadonlyMap<string, unknown>,
  unexpectedFileField: string | undefined,
): AppError {
  if (fields.has("file")) return fileAsTextError();
  const options = { param: "file" };
  return unexpectedFileField === undefined
    ? new AppError("field.missing", { field: "file" }, options)
    : new AppError("request.fileInOtherField", { field: unexpectedFileField }, options);
}

/** A long-lived promise keeps the result of every race it took part in, so the race must not resolve to the chunk. */
async function nextChunk(
  failure: Promise<never>,
  body: BodyReader,
): Promise<Uint8Array | undefined> {
  let chunk: Uint8Array | undefined;
  await Promise.race([body.next().then((next) => void (chunk = next)), failure]);
  return chunk;
}

/** @throws AppError for an unsupported container, more than 25 MB, or an empty file; leaves no file behind then */
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
      throw new AppError("audio.tooShort", { min: 0.1 }, { param: "file" });
    }
    const content = Buffer.concat(firstChunks);
    if (!isContainerChecked) checkContainer(content, moreFormats);
    const bytes = file === undefined ? content : undefined;
    const media = { mediaPath: path, ...(bytes === undefined ? {} : { mediaBytes: bytes }) };
    return { path, bytes, remove: () => removeMediaFile(media) };
  } catch (error) {
    if (file !== undefined) await unlink(path).catch(() => {});
    throw error;
  } finally {
    await file?.close();
  }
}

function checkContainer(firstBytes: Uint8Array, moreFormats: boolean): void {
  const accepted = acceptedContainers(moreFormats);
  const container = sniffContainer(firstBytes);
  if (container !== undefined && accepted.includes(container)) return;
  const names = accepted.map((name) => `'${name}'`).join(", ");
  throw new AppError("request.fileFormat", { formats: names }, { param: "file" });
}
