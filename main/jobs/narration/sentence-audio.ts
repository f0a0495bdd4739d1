// Audio of one sentence: synthesizes a take, or copies the take of an equal sentence in another narration.

import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { writeTake } from "../../audiobook/take-file.ts";
import type { Router } from "../../channels/router.ts";
import { AppError, toStorageError } from "../../contract/errors.ts";
import type { SpeechChunk } from "../../contract/speech.ts";
import { isTakeId, type NarrateOptions, type Take } from "../../contract/narration.ts";
import type { Pool, PoolJob } from "../../engines/pool/pool.ts";
import { copyFile, link, mkdir, writeFile } from "../../storage/disk.ts";
import type { RetriedWrites } from "../../storage/retried-writes.ts";
import { inlinePhonemeLink } from "../../text/script/apply-pronunciations.ts";
import type { Sentence } from "./sentences.ts";
import { writePeaks } from "../../audiobook/take-peaks.ts";

export type SentenceAudioDeps = {
  writes: RetriedWrites;
  router: Router;
  pool: Pool;
  /** An existing folder. */
  tempDir: () => string;
  folder(itemId: string): string;
  /** Called before a sentence's text is sent to a channel. */
  onSentTo(itemId: string, channel: string): void;
  isLocalModel(model: string): boolean;
  now?: () => number;
};

export type SentenceAudio = {
  takePath(itemId: string, takeId: string): string;
  /**
   * Generates a new take and writes it to disk. Its duration is 0 if nothing in the sentence can be spoken. `number`:
   * takes that existed before.
   */
  synthesize(
    itemId: string,
    sentence: Sentence,
    options: NarrateOptions,
    number: number,
    signal: AbortSignal,
  ): Promise<Take>;
  /** Copies the file of another narration's take into this one; undefined if the file is missing. */
  copyTake(itemId: string, sourceTake: Take & { itemId: string }): Promise<Take | undefined>;
};

/** About ten minutes of audio at the largest size of a WAV file. */
const maxAudioBytes = 128 * 2 ** 20;

export function createSentenceAudio({
  writes,
  router,
  pool,
  tempDir,
  folder,
  onSentTo,
  isLocalModel,
  now = Date.now,
}: SentenceAudioDeps): SentenceAudio {
  /** @throws AppError if the id has not the format of take ids: the library may have been written by another program */
  const takePath = (itemId: string, takeId: string): string => {
    if (!isTakeId(takeId)) throw new AppError("narration.takeUnknown");
    return join(folder(itemId), "takes", `${takeId}.wav`);
  };

  /** One pool job per run: the pool adds one listener per job to the signal. */
  const jobs = new WeakMap<AbortSignal, PoolJob>();

  function getJob(signal: AbortSignal): PoolJob {
    const job = jobs.get(signal) ?? pool.job(signal);
    jobs.set(signal, job);
    return job;
  }

  async function createTakePath(itemId: string): Promise<{ id: string; path: string }> {
    await mkdir(join(folder(itemId), "takes"), { recursive: true, mode: 0o700 });
    const id = randomUUID();
    return { id, path: takePath(itemId, id) };
  }

  return {
    takePath,
    async synthesize(itemId, sentence, options, number, signal) {
      const { model, englishFamily = "hibari" } = options;
      const { voice, speed, language } = sentence;
      // Providers would read the phonemes aloud.
      const text = isLocalModel(model)
        ? sentence.text
        : sentence.text.replace(inlinePhonemeLink, "$1");
      const { id, path } = await createTakePath(itemId);
      let channel = "";
      const chunks = router.synthesize(
        {
          model,
          text,
          voice,
          speed,
          format: "wav",
          take: number,
          ...(language === undefined ? {} : { language }),
          ...(model === "tts-1-hd" ? { englishFamily } : {}),
        },
        {
          caller: "window",
          signal,
          onSentTo: (name) => onSentTo(itemId, name),
          onServing: (name) => void (channel = name),
        },
      );
      const spoken = await undefinedIfSilent(joinAudio(chunks));
      const take = { id, madeAtMs: now(), model, channel };
      if (spoken === undefined) {
        await writes.run(() => writeTake(path, new Float32Array(0)), signal);
        return { ...take, durationSec: 0 };
      }
      const { bytes, spokenBy } = spoken;
      const mediaPath = join(tempDir(), `${id}.wav`);
      // The audio, which may have been paid for, stays in memory while the disk rejects writes.
      return writes.run(async () => {
        try {
          await writeFile(mediaPath, bytes);
          const { durationSec } = await getJob(signal).run("save-take", {
            mediaPath,
            wavPath: path,
          });
          await writePeaks(path);
          return { ...take, durationSec, ...(spokenBy === undefined ? {} : { spokenBy }) };
        } finally {
          await rm(mediaPath, { force: true });
        }
      }, signal);
    },
    async copyTake(itemId, source) {
      const { id, path } = await createTakePath(itemId);
      const sourcePath = takePath(source.itemId, source.id);
      try {
        // A hard link; a copy if the file system does not support links.
        await link(sourcePath, path).catch(() => copyFile(sourcePath, path));
      } catch (error) {
        if (toStorageError(error) !== undefined) throw error;
        return undefined;
      }
      const { durationSec, madeAtMs, model, channel, spokenBy } = source;
      const own = { id, durationSec, madeAtMs, model, channel };
      return spokenBy === undefined ? own : { ...own, spokenBy };
    },
  };
}

/** `spokenBy`: the voice that took over; a sentence has one language. */
type SpokenAudio = { bytes: Buffer; spokenBy: string | undefined };

async function joinAudio(chunks: AsyncIterable<SpeechChunk>): Promise<SpokenAudio> {
  const parts: Uint8Array[] = [];
  let sizeBytes = 0;
  let spokenBy: string | undefined;
  for await (const { bytes, casting } of chunks) {
    spokenBy ??= casting?.takenOverBy[0];
    parts.push(bytes);
    sizeBytes += bytes.length;
    if (sizeBytes > maxAudioBytes) throw new AppError("narration.tooMuchAudio");
  }
  return { bytes: Buffer.concat(parts), spokenBy };
}

/** Text without words, such as a line of symbols, has no audio. That must not fail the narration. */
async function undefinedIfSilent(audio: Promise<SpokenAudio>): Promise<SpokenAudio | undefined> {
  try {
    return await audio;
  } catch (error) {
    if (error instanceof AppError && error.key === "nothing_to_say") return undefined;
    throw error;
  }
}
