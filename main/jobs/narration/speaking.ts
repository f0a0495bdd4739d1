// One sentence's sound: spoken by whoever has the model and kept as a take, taken over from another narration that
// has the same, or heard again to see whether its words come back.

import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { writeTake } from "../../audiobook/take-file.ts";
import { clientLeft, heardHereSec, type Meter, type Metering } from "../../usage/metering.ts";
import type { Router } from "../../channels/router.ts";
import { AppError, storageFailure } from "../../contract/errors.ts";
import { isTakeId, type NarrateOptions, type Take } from "../../contract/studio.ts";
import type { Pool, PoolJob } from "../../engines/pool/pool.ts";
import { copyFile, link, mkdir, writeFile } from "../../storage/disk.ts";
import type { PatientWrites } from "../../storage/patient-writes.ts";
import { missedWords } from "../../text/script/missed-words.ts";
import { givenLink } from "../../text/script/pronouncing.ts";
import type { Sentence } from "./sentences.ts";
import { keepPeaks } from "../../audiobook/take-peaks.ts";

export type SpeakingDeps = {
  writes: PatientWrites;
  router: Router;
  metering: Metering;
  pool: Pool;
  /** An existing folder. */ tempDir: () => string;
  folder(itemId: string): string;
  /** Told of whoever is about to be given a sentence's text or sound. */ onAsked(
    itemId: string,
    channel: string,
  ): void;
  isSpokenHere(model: string): boolean;
  now?: () => number;
};

export type SentenceSound = {
  takePath(itemId: string, takeId: string): string;
  /** A new take, on the disk when this resolves; of no length where the sentence has nothing to say. `number`: how many there were before. */
  speak(
    itemId: string,
    sentence: Sentence,
    options: NarrateOptions,
    number: number,
    signal: AbortSignal,
  ): Promise<Take>;
  /** The file of another narration's take as this one's own; undefined where it is gone. */
  adopt(itemId: string, other: Take & { itemId: string }): Promise<Take | undefined>;
  /** Words of the sentence that do not come back, and who heard it. */
  check(
    itemId: string,
    take: Take,
    sentence: Sentence,
    signal: AbortSignal,
  ): Promise<{ missed: string[]; channel: string }>;
};

/** What hears the app's own reading. */
const checkingModel = "whisper-1";
/** Sound of ten minutes, as large as a WAV file may make it. */
const maxBytes = 128 * 2 ** 20;
/** Shorter is no word. */
const minSec = 0.1;

export function createSentenceSound({
  writes,
  router,
  metering,
  pool,
  tempDir,
  folder,
  onAsked,
  isSpokenHere,
  now = Date.now,
}: SpeakingDeps): SentenceSound {
  /** @throws AppError for an id that no take is made with: it comes from a library that somebody else wrote */
  const takePath = (itemId: string, takeId: string): string => {
    if (!isTakeId(takeId))
      throw new AppError("not_found", "There is no such take of this sentence.");
    return join(folder(itemId), "takes", `${takeId}.wav`);
  };

  /** One for all sentences of a run: the pool keeps its listener on the signal. */
  const jobs = new WeakMap<AbortSignal, PoolJob>();

  function jobOf(signal: AbortSignal): PoolJob {
    const job = jobs.get(signal) ?? pool.job(signal);
    jobs.set(signal, job);
    return job;
  }

  async function newPath(itemId: string): Promise<{ id: string; path: string }> {
    await mkdir(join(folder(itemId), "takes"), { recursive: true, mode: 0o700 });
    const id = randomUUID();
    return { id, path: takePath(itemId, id) };
  }

  return {
    takePath,
    async speak(itemId, sentence, { model, speed }, number, signal) {
      const { voice } = sentence;
      // Others would read the phonemes out.
      const text = isSpokenHere(model) ? sentence.text : sentence.text.replace(givenLink, "$1");
      const meter = metering.start("window", "speech");
      Object.assign(meter.metered, { model, characters: Array.from(text).length });
      const { id, path } = await newPath(itemId);
      const bytes = await nullIfSilent(
        metered(meter, async () => {
          const parts: Uint8Array[] = [];
          let sizeBytes = 0;
          for await (const chunk of router.speak(
            {
              model,
              text,
              voice,
              speed,
              format: "wav",
              take: number,
              onAsked: (channel) => onAsked(itemId, channel),
            },
            meter.metered.served,
            signal,
          )) {
            parts.push(chunk.bytes);
            sizeBytes += chunk.bytes.length;
            meter.metered.audioSec = chunk.madeSec;
            meter.metered.sentBytes = sizeBytes;
            if (sizeBytes > maxBytes)
              throw new AppError(
                "upstream_broken",
                "The channel sent far more sound than a sentence has.",
              );
          }
          return Buffer.concat(parts);
        }),
      );
      const made = { id, madeAtMs: now(), model, channel: meter.metered.served.channel ?? "" };
      if (bytes === null) {
        await writes.run(() => writeTake(path, new Float32Array(0)), signal);
        return { ...made, durationSec: 0 };
      }
      const mediaPath = join(tempDir(), `${id}.wav`);
      // What was made, and may have been paid for, waits in memory for a disk that takes nothing.
      return writes.run(async () => {
        try {
          await writeFile(mediaPath, bytes);
          const { durationSec } = await jobOf(signal).run("take", { mediaPath, wavPath: path });
          await keepPeaks(path);
          return { ...made, durationSec };
        } finally {
          await rm(mediaPath, { force: true });
        }
      }, signal);
    },
    async adopt(itemId, { itemId: otherId, ...other }) {
      const { id, path } = await newPath(itemId);
      const from = takePath(otherId, other.id);
      try {
        // The same file under two names; where the disk cannot do that, another file.
        await link(from, path).catch(() => copyFile(from, path));
      } catch (error) {
        if (storageFailure(error) !== undefined) throw error;
        return undefined;
      }
      const { durationSec, madeAtMs, model, channel } = other;
      return { id, durationSec, madeAtMs, model, channel };
    },
    async check(itemId, take, { text, written }, signal) {
      if (take.durationSec < minSec) return { missed: [], channel: "" };
      const meter = metering.start("window", "transcriptions");
      meter.metered.model = checkingModel;
      const heard = await metered(meter, async () => {
        const job = {
          task: "transcribe",
          model: checkingModel,
          mediaPath: takePath(itemId, take.id),
          temperature: 0,
          wordTimes: false,
          textOnly: true,
          onAsked: (channel: string) => onAsked(itemId, channel),
          ...(isSpokenHere(take.model) ? { language: "en" } : {}),
        } as const;
        for await (const event of router.transcribe(job, meter.metered.served, signal)) {
          if (event.type !== "done") continue;
          meter.metered.audioSec = heardHereSec(event.transcript);
          return event.transcript.text;
        }
        return "";
      });
      // A respelling need not come back as it is written, nor the word it stands for: either will do.
      const [asSpoken, asWritten] = [
        missedWords(text.replace(givenLink, "$1"), heard),
        missedWords(written, heard),
      ];
      return {
        missed: asSpoken.length < asWritten.length ? asSpoken : asWritten,
        channel: meter.metered.served.channel ?? "",
      };
    },
  };
}

async function metered<Result>(meter: Meter, work: () => Promise<Result>): Promise<Result> {
  let status: number = clientLeft;
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
