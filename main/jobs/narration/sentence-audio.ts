// Audio of one sentence: synthesizes a take, copies the take of an equal sentence in another narration, or checks a
// take by transcribing it and comparing the words.

import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { writeTake } from "../../audiobook/take-file.ts";
import {
  clientClosedStatus,
  durationWithoutHelpersSec,
  type Meter,
  type Metering,
} from "../../usage/metering.ts";
import type { Router } from "../../channels/router.ts";
import { AppError, toStorageError } from "../../contract/errors.ts";
import { isTakeId, type NarrateOptions, type Take } from "../../contract/studio.ts";
import type { Pool, PoolJob } from "../../engines/pool/pool.ts";
import { copyFile, link, mkdir, writeFile } from "../../storage/disk.ts";
import type { RetriedWrites } from "../../storage/retried-writes.ts";
import { findMissedWords } from "../../text/script/missed-words.ts";
import { inlinePhonemeLink } from "../../text/script/apply-pronunciations.ts";
import type { Sentence } from "./sentences.ts";
import { writePeaks } from "../../audiobook/take-peaks.ts";

export type SentenceAudioDeps = {
  writes: RetriedWrites;
  router: Router;
  metering: Metering;
  pool: Pool;
  /** An existing folder. */ tempDir: () => string;
  folder(itemId: string): string;
  /** Called before a sentence's text or audio is sent to a channel. */ onChannelSelected(
    itemId: string,
    channel: string,
  ): void;
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
  /** Words of the sentence that the transcription lacks, and the channel that transcribed it. */
  checkTake(
    itemId: string,
    take: Take,
    sentence: Sentence,
    signal: AbortSignal,
  ): Promise<{ missed: string[]; channel: string }>;
};

/** Model that transcribes generated audio. */
const checkModel = "whisper-1";
/** About ten minutes of audio at the largest size of a WAV file. */
const maxAudioBytes = 128 * 2 ** 20;
/** Shorter audio contains no word. */
const minCheckedSec = 0.1;

export function createSentenceAudio({
  writes,
  router,
  metering,
  pool,
  tempDir,
  folder,
  onChannelSelected,
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
    async synthesize(itemId, sentence, { model, speed }, number, signal) {
      const { voice } = sentence;
      // Providers would read the phonemes aloud.
      const text = isLocalModel(model)
        ? sentence.text
        : sentence.text.replace(inlinePhonemeLink, "$1");
      const meter = metering.start("window", "speech");
      Object.assign(meter.metered, { model, characters: Array.from(text).length });
      const { id, path } = await createTakePath(itemId);
      const bytes = await nullIfSilent(
        metered(meter, async () => {
          const chunks: Uint8Array[] = [];
          let sizeBytes = 0;
          for await (const chunk of router.synthesize(
            {
              model,
              text,
              voice,
              speed,
              format: "wav",
              take: number,
              onChannelSelected: (channel) => onChannelSelected(itemId, channel),
            },
            meter.metered.trace,
            signal,
          )) {
            chunks.push(chunk.bytes);
            sizeBytes += chunk.bytes.length;
            meter.metered.audioSec = chunk.audioSec;
            meter.metered.sentBytes = sizeBytes;
            if (sizeBytes > maxAudioBytes) throw new AppError("narration.tooMuchAudio");
          }
          return Buffer.concat(chunks);
        }),
      );
      const take = { id, madeAtMs: now(), model, channel: meter.metered.trace.channel ?? "" };
      if (bytes === null) {
        await writes.run(() => writeTake(path, new Float32Array(0)), signal);
        return { ...take, durationSec: 0 };
      }
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
          return { ...take, durationSec };
        } finally {
          await rm(mediaPath, { force: true });
        }
      }, signal);
    },
    async copyTake(itemId, { itemId: sourceItemId, ...sourceTake }) {
      const { id, path } = await createTakePath(itemId);
      const sourcePath = takePath(sourceItemId, sourceTake.id);
      try {
        // A hard link; a copy if the file system does not support links.
        await link(sourcePath, path).catch(() => copyFile(sourcePath, path));
      } catch (error) {
        if (toStorageError(error) !== undefined) throw error;
        return undefined;
      }
      const { durationSec, madeAtMs, model, channel } = sourceTake;
      return { id, durationSec, madeAtMs, model, channel };
    },
    async checkTake(itemId, take, { text, written }, signal) {
      if (take.durationSec < minCheckedSec) return { missed: [], channel: "" };
      const meter = metering.start("window", "transcriptions");
      meter.metered.model = checkModel;
      const transcribedText = await metered(meter, async () => {
        const job = {
          task: "transcribe",
          model: checkModel,
          mediaPath: takePath(itemId, take.id),
          temperature: 0,
          wordTimes: false,
          textOnly: true,
          onChannelSelected: (channel: string) => onChannelSelected(itemId, channel),
          ...(isLocalModel(take.model) ? { language: "en" } : {}),
        } as const;
        for await (const event of router.transcribe(job, meter.metered.trace, signal)) {
          if (event.type !== "done") continue;
          meter.metered.audioSec = durationWithoutHelpersSec(event.transcript);
          return event.transcript.text;
        }
        return "";
      });
      // The transcription may contain either the respelling or the word that it replaces.
      const [missedOfSpoken, missedOfWritten] = [
        findMissedWords(text.replace(inlinePhonemeLink, "$1"), transcribedText),
        findMissedWords(written, transcribedText),
      ];
      return {
        missed: missedOfSpoken.length < missedOfWritten.length ? missedOfSpoken : missedOfWritten,
        channel: meter.metered.trace.channel ?? "",
      };
    },
  };
}

async function metered<Result>(meter: Meter, work: () => Promise<Result>): Promise<Result> {
  let status: number = clientClosedStatus;
  try {
    const result = await work();
    status = 200;
    return result;
  } catch (error) {
    if (error instanceof AppError) status = error.row.status;
    throw error;
  } finally {
    meter.end(status);
  }
}

/** Text without words, such as a line of symbols, has no audio. That must not fail the narration. */
async function nullIfSilent(bytes: Promise<Buffer>): Promise<Buffer | null> {
  try {
    return await bytes;
  } catch (error) {
    if (error instanceof AppError && error.key === "nothing_to_say") return null;
    throw error;
  }
}
