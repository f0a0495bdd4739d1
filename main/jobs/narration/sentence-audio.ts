// One sentence's sound: spoken by whoever has the model and kept as a take, taken over from another narration that
// has the same, or heard again to see whether its words come back.

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
  /** Told of whoever is about to be given a sentence's text or sound. */ onChannelSelected(
    itemId: string,
    channel: string,
  ): void;
  isLocalModel(model: string): boolean;
  now?: () => number;
};

export type SentenceAudio = {
  takePath(itemId: string, takeId: string): string;
  /** A new take, on the disk when this resolves; of no length where the sentence has nothing to say. `number`: how many there were before. */
  synthesize(
    itemId: string,
    sentence: Sentence,
    options: NarrateOptions,
    number: number,
    signal: AbortSignal,
  ): Promise<Take>;
  /** The file of another narration's take as this one's own; undefined where it is gone. */
  copyTake(itemId: string, sourceTake: Take & { itemId: string }): Promise<Take | undefined>;
  /** Words of the sentence that do not come back, and who heard it. */
  checkTake(
    itemId: string,
    take: Take,
    sentence: Sentence,
    signal: AbortSignal,
  ): Promise<{ missed: string[]; channel: string }>;
};

/** What hears the app's own reading. */
const checkModel = "whisper-1";
/** Sound of ten minutes, as large as a WAV file may make it. */
const maxAudioBytes = 128 * 2 ** 20;
/** Shorter is no word. */
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
  /** @throws AppError for an id that no take is made with: it comes from a library that somebody else wrote */
  const takePath = (itemId: string, takeId: string): string => {
    if (!isTakeId(takeId))
      throw new AppError("not_found", "There is no such take of this sentence.");
    return join(folder(itemId), "takes", `${takeId}.wav`);
  };

  /** One for all sentences of a run: the pool keeps its listener on the signal. */
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
      // Others would read the phonemes out.
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
            if (sizeBytes > maxAudioBytes)
              throw new AppError(
                "upstream_broken",
                "The channel sent far more sound than a sentence has.",
              );
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
      // What was made, and may have been paid for, waits in memory for a disk that takes nothing.
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
        // The same file under two names; where the disk cannot do that, another file.
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
      // A respelling need not come back as it is written, nor the word it stands for: either will do.
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

/** A line of signs has no sound: that is no failure of a book. */
async function nullIfSilent(bytes: Promise<Buffer>): Promise<Buffer | null> {
  try {
    return await bytes;
  } catch (error) {
    if (error instanceof AppError && error.key === "nothing_to_say") return null;
    throw error;
  }
}
