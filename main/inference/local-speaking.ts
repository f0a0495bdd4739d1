// Speaks a text with the built-in voices: sentences are made side by side on the pool, encoded in order by one
// child, and leave as they are ready.

import { rm } from "node:fs/promises";
import { join } from "node:path";
import { wavSizes } from "../audio/codec/framing.ts";
import { AppError } from "../contract/errors.ts";
import type { ModelBundle, SpeechChunk, SpeechJob } from "../contract/speech.ts";
import type { Pool, PoolJob } from "../engines/pool/pool.ts";
import { mkdtemp } from "../storage/disk.ts";
import { firstClauseApart, type Sentence, splitSentences } from "../text/sentences.ts";
import { createEncoding } from "./encoding.ts";
import { createOrderedWork, type OrderedWork } from "./ordered-queue.ts";

export type Speaking = {
  pool: Pool;
  bundle: ModelBundle;
  quality: "standard" | "high";
  tempDir: () => string;
};

/** A sentence that was made; `isAll` where the text has no other. */
type Spoken = { pcmPath: string; durationSec: number; endsAt: number; isAll: boolean };

/** @throws AppError before the first chunk where there is nothing to say */
export async function* speakText(
  speaking: Speaking,
  job: SpeechJob,
  signal: AbortSignal,
): AsyncGenerator<SpeechChunk, void, undefined> {
  const stop = new AbortController();
  const poolJob = speaking.pool.job(AbortSignal.any([signal, stop.signal]));
  const folder = await mkdtemp(join(speaking.tempDir(), "speak-"));
  const sentences = firstClauseApart(splitSentences(job.text));
  const encoding = createEncoding(poolJob, { format: job.format, quality: speaking.quality });
  if (sentences.length > 1) encoding.begin();
  const work = createOrderedWork<Spoken>(2 * speaking.pool.size);
  const making = makeSentences(
    { speaking, job, poolJob, folder, sentences, near: encoding.session() },
    work,
  ).then(work.end, work.fail);
  let madeSec = 0;
  let madeBytes = 0;
  try {
    for await (const spoken of work.values()) {
      if (spoken.durationSec === 0) continue;
      const bytes = await encoding.push(spoken.pcmPath, spoken.isAll);
      madeSec += spoken.durationSec;
      madeBytes += bytes.length;
      yield { bytes, madeSec, progress: spoken.endsAt / job.text.length };
    }
    if (madeSec === 0)
      throw new AppError("nothing_to_say", "The input has nothing that can be spoken.", {
        param: "input",
      });
    const bytes = await encoding.finish();
    const corrections = job.format === "wav" ? wavSizes(madeBytes + bytes.length) : [];
    yield { bytes, corrections, madeSec, progress: 1 };
  } finally {
    encoding.close();
    stop.abort();
    await making;
    // A task that was taken back may be writing its last file.
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

type Making = {
  speaking: Speaking;
  job: SpeechJob;
  poolJob: PoolJob;
  folder: string;
  sentences: readonly Sentence[];
  /** Where the encoder is. */ near: string | undefined;
};

async function makeSentences(
  { speaking, job, poolJob, folder, sentences, near }: Making,
  work: OrderedWork<Spoken>,
): Promise<void> {
  const { voice, speed, take = 0 } = job;
  for (const [index, { text, end, paragraphEnd }] of sentences.entries()) {
    const pcmPath = join(folder, `${index}.pcm`);
    // After the last word there is nothing to make room for.
    const options = {
      voice,
      speed,
      quality: speaking.quality,
      paragraphEnd: paragraphEnd && index < sentences.length - 1,
      take,
    };
    // The first is made where it is encoded: nothing stands between the two.
    const made = poolJob.run(
      "speak",
      { model: speaking.bundle, text, options, pcmPath },
      index === 0 ? near : undefined,
    );
    await work.add(
      made.then(({ durationSec }) => ({
        pcmPath,
        durationSec,
        endsAt: end,
        isAll: sentences.length === 1,
      })),
    );
  }
}
