import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { transcribeOptions } from "../../../../main/contract/transcript-document.ts";
import { appError } from "../../../support/app-error.ts";
import {
  createFileImport,
  type FileImport,
  type FileImportDeps,
} from "../../../../main/jobs/transcription/file-import.ts";
import type { Upload } from "../../../../main/jobs/transcription/store-upload.ts";
import { openTestFolder } from "../../../support/test-data.ts";

const create = (
  add: FileImportDeps["transcriptionJobs"]["add"],
  more: Partial<FileImportDeps> = {},
): FileImport =>
  createFileImport({
    transcriptionJobs: { add },
    probe: async () => {},
    options: () => transcribeOptions.parse({}),
    ...more,
  });

const refusing = async (): Promise<void> =>
  Promise.reject(appError("undecodable_audio", "It has no sound."));

/** Receives the uploads. */
function receiver() {
  const came: { name: string; language: string | undefined; bytes: Buffer }[] = [];
  const add = async ({ name, options, next }: Upload) => {
    const chunks: Uint8Array[] = [];
    for (let chunk = await next(); chunk !== undefined; chunk = await next()) chunks.push(chunk);
    came.push({ name, language: options.language, bytes: Buffer.concat(chunks) });
    return { id: "a" } as never;
  };
  return { came, add };
}

it("imports a file like an upload, with the preferences at that time", async () => {
  const { came, add } = receiver();
  let language = "de";
  const files = create(add, { options: () => transcribeOptions.parse({ language }) });
  const path = join(await openTestFolder(), "Zürich ☔.mp3");
  const bytes = Buffer.alloc(2_500_000, "sound");
  writeFileSync(path, bytes);
  await files.add(path);
  language = "fr";
  await files.add(path);
  expect(came.map(({ name, language: spokenLanguage }) => [name, spokenLanguage])).toEqual([
    ["Zürich ☔.mp3", "de"],
    ["Zürich ☔.mp3", "fr"],
  ]);
  expect(came[0]?.bytes.equals(bytes)).toBe(true);
});

it("names the file in the error for an unreadable file", async () => {
  const files = create(receiver().add);
  const folder = join(await openTestFolder(), "a folder.mp3");
  mkdirSync(folder);
  await expect(files.add(folder)).rejects.toThrow("'a folder.mp3' is not a file.");
  await expect(files.add(join(folder, "missing.wav"))).rejects.toThrow(
    "The file 'missing.wav' cannot be read.",
  );
});

it.skipIf(process.platform === "win32")("does not open a pipe, which may never end", async () => {
  const path = join(await openTestFolder(), "pipe.wav");
  execFileSync("mkfifo", [path]);
  await expect(create(receiver().add).add(path)).rejects.toThrow("'pipe.wav' is not a file.");
});

it("copies nothing of a file that is not a media file", async () => {
  const { came, add } = receiver();
  const path = join(await openTestFolder(), "disk image.mp3");
  writeFileSync(path, "no sound");
  await expect(create(add, { probe: refusing }).add(path)).rejects.toThrow("It has no sound.");
  expect(came).toEqual([]);
});

it("aborts active imports when the app ends", async () => {
  const path = join(await openTestFolder(), "long.mp3");
  writeFileSync(path, "sound");
  const begun = Promise.withResolvers<void>();
  const add = async ({ next }: Upload, signal: AbortSignal) => {
    begun.resolve();
    await new Promise((over) => signal.addEventListener("abort", over));
    await next();
    return {} as never;
  };
  const files = create(add);
  const work = files.add(path);
  await begun.promise;
  await Promise.all([expect(work).rejects.toThrow("Hearsay is shutting down."), files.close()]);
});
