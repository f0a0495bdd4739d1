// Speaks a text with the built-in voices: sentences are made side by side on the pool, encoded in order by one
// child, and leave as they are ready.

import { rm } from "node:fs/promises";
import { join } from "node:path";
import { wavSizes } from "../audio/codec/framing.ts";
import { AppError } from "../contract/errors.ts";
import type { ModelBundle, SpeechChunk, SpeechJob } from "../contract/speech.ts";
import type { Pool, PoolJob } from "../engines/pool/pool.ts";
import { mkdtemp } from "../storage/disk.ts";
import { splitFirstClause, type Sentence, splitSentences } from "../text/sentences.ts";
import { createEncoding } from "./encoding.ts";
import { createOrderedQueue, type OrderedQueue } from "./ordered-queue.ts";

export type LocalSynthesisDeps = {
  pool: Pool;
  bundle: ModelBundle;
  quality: "standard" | "high";
  tempDir: () => string;
};

/** A sentence that was made; `isOnlySentence` where the text has no other. */
type SynthesizedSentence = {
  pcmPath: string;
  durationSec: number;
  endOffset: number;
  isOnlySentence: boolean;
};

/** @throws AppError before the first chunk where there is nothing to say */
export async function* synthesizeText(
  deps: LocalSynthesisDeps,
  job: SpeechJob,
  signal: AbortSignal,
): AsyncGenerator<SpeechChunk, void, undefined> {
  const stopController = new AbortController();
  const poolJob = deps.pool.job(AbortSignal.any([signal, stopController.signal]));
  const folder = await mkdtemp(join(deps.tempDir(), "speak-"));
  const sentences = splitFirstClause(splitSentences(job.text));
  const encoding = createEncoding(poolJob, { format: job.format, quality: deps.quality });
  if (sentences.length > 1) encoding.start();
  const resultQueue = createOrderedQueue<SynthesizedSentence>(2 * deps.pool.size);
  const synthesizing = synthesizeSentences(
    { deps, job, poolJob, folder, sentences, preferredSession: encoding.session() },
    resultQueue,
  ).then(resultQueue.end, resultQueue.fail);
  let audioSec = 0;
  let audioBytes = 0;
  try {
    for await (const sentenceAudio of resultQueue.values()) {
      if (sentenceAudio.durationSec === 0) continue;
      const bytes = await encoding.push(sentenceAudio.pcmPath, sentenceAudio.isOnlySentence);
      audioSec += sentenceAudio.durationSec;
      audioBytes += bytes.length;
      yield { bytes, audioSec, progress: sentenceAudio.endOffset / job.text.length };
    }
    if (audioSec === 0)
      throw new AppError("nothing_to_say", "The input has nothing that can be spoken.", {
        param: "input",
      });
    const bytes = await encoding.finish();
    const corrections = job.format === "wav" ? wavSizes(audioBytes + bytes.length) : [];
    yield { bytes, corrections, audioSec, progress: 1 };
  } finally {
    encoding.close();
    stopController.abort();
    await synthesizing;
    // A task that was taken back may be writing its last file.
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

type SentenceSynthesisOptions = {
  deps: LocalSynthesisDeps;
  job: SpeechJob;
  poolJob: PoolJob;
  folder: string;
  sentences: readonly Sentence[];
  /** Where the encoder is. */ preferredSession: string | undefined;
};

async function synthesizeSentences(
  { deps, job, poolJob, folder, sentences, preferredSession }: SentenceSynthesisOptions,
  resultQueue: OrderedQueue<SynthesizedSentence>,
): Promise<void> {
  const { voice, speed, take = 0 } = job;
  for (const [index, { text, end, paragraphEnd }] of sentences.entries()) {
    const pcmPath = join(folder, `${index}.pcm`);
    // After the last word there is nothing to make room for.
    const options = {
      voice,
      speed,
      quality: deps.quality,
      paragraphEnd: paragraphEnd && index < sentences.length - 1,
      take,
    };
    // The first is made where it is encoded: nothing stands between the two.
    const result = poolJob.run(
      "synthesize",
      { model: deps.bundle, text, options, pcmPath },
      index === 0 ? preferredSession : undefined,
    );
    await resultQueue.add(
      result.then(({ durationSec }) => ({
        pcmPath,
        durationSec,
        endOffset: end,
        isOnlySentence: sentences.length === 1,
      })),
    );
  }
}
