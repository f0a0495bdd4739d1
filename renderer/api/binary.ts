// Requests to /app whose bodies are not JSON: uploads with progress, recordings, audio, files to save. Besides
// client.ts the only module that uses the network.

import { z } from "zod";
import { type ImportedDocument, importedDocument } from "../../main/contract/documents.ts";
import { item, type Item } from "../../main/contract/library-item.ts";
import {
  importedModel,
  modelExportPath,
  modelImportPath,
} from "../../main/contract/model-downloads.ts";
import type { NarrationExport } from "../../main/contract/narration.ts";
import type {
  DocumentOptions,
  TranscribeOptions,
} from "../../main/contract/transcript-document.ts";
import type {
  TranscriptExport,
  TranscriptExportOptions,
} from "../../main/contract/transcript-export.ts";
import { type LibraryImport, libraryImport } from "../../main/contract/window-api.ts";
import { t } from "../messages/messages.ts";
import { appUrl, withBasePath } from "./base.ts";
import { toQueryString, toApiError, request } from "./client.ts";
import { ApiError } from "./error.ts";

const audioReceipt = z.object({ samples: z.int() });
const itemApiPath = (id: string, subPath: string) =>
  `/app/items/${encodeURIComponent(id)}/${subPath}`;

/** Sends a file as raw bytes. `onProgress` gets the number of bytes sent. @throws ApiError, or AbortError */
function send(
  address: string,
  file: Blob,
  onProgress?: (sentBytes: number) => void,
  signal?: AbortSignal,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    // XMLHttpRequest, because fetch does not report upload progress.
    const xhr = new XMLHttpRequest();
    xhr.open("POST", withBasePath(address));
    xhr.setRequestHeader("content-type", "application/octet-stream");
    xhr.upload.addEventListener("progress", ({ loaded }) => onProgress?.(loaded));
    xhr.addEventListener("load", () => {
      if (xhr.status < 300) resolve(JSON.parse(xhr.responseText));
      else reject(toApiError(xhr.status, xhr.responseText));
    });
    xhr.addEventListener("error", () =>
      reject(new ApiError(0, "offline", () => t("frame.error.offline"))),
    );
    xhr.addEventListener("abort", () => reject(new DOMException("", "AbortError")));
    signal?.addEventListener("abort", () => xhr.abort(), { once: true });
    xhr.send(file);
  });
}

export const uploadMedia = async (
  file: File,
  options: Partial<TranscribeOptions>,
  onProgress?: (sentBytes: number) => void,
  signal?: AbortSignal,
): Promise<Item> =>
  item.parse(
    await send(
      `/app/uploads${toQueryString({ name: file.name, options })}`,
      file,
      onProgress,
      signal,
    ),
  );

/** Imports an archive of the library. */
export const importLibrary = async (
  file: File,
  onProgress?: (sentBytes: number) => void,
  signal?: AbortSignal,
): Promise<LibraryImport> =>
  libraryImport.parse(await send("/app/library/import", file, onProgress, signal));

/** Imports a model from an archive; `name` is its file name. */
export const importModel = async (
  name: string,
  archive: Blob,
  onProgress?: (sentBytes: number) => void,
  signal?: AbortSignal,
) =>
  importedModel.parse(
    await send(`${modelImportPath}${toQueryString({ name })}`, archive, onProgress, signal),
  );

export const readScript = async (file: File, signal?: AbortSignal): Promise<ImportedDocument> =>
  importedDocument.parse(
    await send(`/app/scripts${toQueryString({ name: file.name })}`, file, undefined, signal),
  );

/** `options` are used to transcribe it: while it is recorded, if `isLive`, and afterwards. */
export const beginRecording = async (
  title: string,
  options: Partial<DocumentOptions>,
  isLive: boolean,
): Promise<Item> =>
  item.parse(
    await (
      await request(`/app/recordings${toQueryString({ title, options, live: String(isLive) })}`, {
        method: "POST",
      })
    ).json(),
  );

/**
 * `from` is the index of the first sample in its track; sending the same samples twice is harmless.
 * @returns how many samples of each track the app has stored
 */
export async function sendAudio(
  id: string,
  from: number,
  samples: Int16Array<ArrayBuffer>,
): Promise<number> {
  const response = await request(
    `/app/recordings/${encodeURIComponent(id)}/sound${toQueryString({ from })}`,
    { method: "POST", body: samples, headers: { "content-type": "application/octet-stream" } },
  );
  return audioReceipt.parse(await response.json()).samples;
}

export const endRecording = async (id: string): Promise<Item> =>
  item.parse(
    await (
      await request(`/app/recordings/${encodeURIComponent(id)}/end`, { method: "POST" })
    ).json(),
  );

export const mediaUrl = (id: string) => appUrl(itemApiPath(id, "media"));
export const takeUrl = (id: string, takeId: string) =>
  appUrl(itemApiPath(id, `takes/${encodeURIComponent(takeId)}`));
export const exportUrl = (
  id: string,
  format: TranscriptExport,
  options?: TranscriptExportOptions,
) => appUrl(itemApiPath(id, `export${toQueryString({ format, options })}`));
/** The file itself. */
export const readExport = (
  id: string,
  format: TranscriptExport,
  options: TranscriptExportOptions,
  signal?: AbortSignal,
): Promise<Response> =>
  request(
    itemApiPath(id, `export${toQueryString({ format, options })}`),
    signal === undefined ? {} : { signal },
  );
/** As a local model speaks. */
export const voiceSampleUrl = (voice: string, model = "tts-1") =>
  appUrl(`/app/voices/${encodeURIComponent(voice)}/sample?model=${encodeURIComponent(model)}`);
export const modelExportUrl = (id: string) => appUrl(modelExportPath(encodeURIComponent(id)));
export const clipUrl = (id: string) => appUrl(`/app/models/clips/${encodeURIComponent(id)}`);
/** A table to save. */
export const measurementsUrl = (table: "measurements" | "votes") =>
  appUrl(`/app/models/${table}.csv`);
/** @param hasPeople with the voice prints of people who are remembered */
export const libraryUrl = ({ hasPeople } = { hasPeople: false }) =>
  appUrl(hasPeople ? "/app/library.zip?people=true" : "/app/library.zip");
/** All that is stored about a person. */
export const personUrl = (id: string) => appUrl(`/app/people/${encodeURIComponent(id)}/export`);

/** Peaks: a pair (minimum, maximum) for each 10 ms; 128 is silence. */
export const readPeaks = async (id: string, signal?: AbortSignal) =>
  new Uint8Array(
    await (await request(itemApiPath(id, "peaks"), signal ? { signal } : {})).arrayBuffer(),
  );

/** Peaks of a narration whose sentences are all generated; same format as `readPeaks`. */
export const readNarrationPeaks = async (id: string) =>
  new Uint8Array(await (await request(itemApiPath(id, "narration-peaks"))).arrayBuffer());

export const readCover = async (id: string): Promise<Blob> =>
  (await request(itemApiPath(id, "cover"))).blob();

export async function readTake(
  id: string,
  takeId: string,
  signal?: AbortSignal,
): Promise<ArrayBuffer> {
  return (await request(takeUrl(id, takeId), signal ? { signal } : {})).arrayBuffer();
}

/** The narration as one file or a zip of several, with the file name that the app chose. */
export async function exportNarrationFile(
  id: string,
  options: NarrationExport,
  signal?: AbortSignal,
): Promise<{ blob: Blob; name: string }> {
  const response = await request(itemApiPath(id, "narration-file"), {
    method: "POST",
    body: JSON.stringify(options),
    headers: { "content-type": "application/json" },
    ...(signal && { signal }),
  });
  return {
    blob: await response.blob(),
    name: fileName(response.headers.get("content-disposition")) ?? `narration.${options.format}`,
  };
}

/** File name from a content-disposition header (RFC 6266); the encoded form (`filename*`) takes precedence. */
export function fileName(header: string | null): string | undefined {
  const encoded = header?.match(/filename\*=UTF-8''([^;]+)/i)?.[1];
  try {
    if (encoded !== undefined) return decodeURIComponent(encoded);
  } catch {
    // Invalid encoding: fall back to the plain form.
  }
  return header?.match(/filename="([^"]+)"/)?.[1];
}
