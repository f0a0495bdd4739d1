// The reference for our Whisper: faster-whisper in a Python process, with float32 weights or with our own model files,
// on the same samples as our engine. It is not part of the project: without it, tests are skipped by name.
// HEARSAY_BENCH_PYTHON: a Python where it is installed. HEARSAY_BENCH_WHISPER_DIR: the same weights in CTranslate2
// format.
//
// Observed in faster-whisper 1.2.1: the log-mel spectrogram is computed from the audio plus one hop (160 samples) of
// silence; the frames of the audio alone are kept and padded to 3,000 with the value 0, as in openai/whisper. Its
// `avg_logprob` includes the end token, its `no_speech_prob` is read at the start token.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { TranscriptSegment } from "../../main/contract/speech.ts";
import { maxCompressionRatio } from "../../main/engines/stt/scores.ts";
import { shippedModel } from "../../main/models/shipped-models.ts";
import { fasterWhisperUnavailableReason } from "../bench/peers/faster-whisper.ts";

/** Samples are mono at 16 kHz. */
export type OracleRequest = { samples: Float32Array; language: string };

/** Segments have Whisper's own values, including `noSpeechProb`. The transcription uses the language of the request. */
export type OracleResult = {
  /** Detected, independent of the request's language. */
  language: string;
  languageProbability: number;
  /** Without timestamp tokens: one segment per window. */
  plain: TranscriptSegment[];
  /** With timestamp tokens. */
  timed: TranscriptSegment[];
  /** Like `plain`, but only the first window, with timestamps of words. A word starts with its space. */
  worded: TranscriptSegment[];
  translated: TranscriptSegment[];
  translatedTimed: TranscriptSegment[];
};

/**
 * `8-bit`: the files of this project, run by onnxruntime for Python, so that only the decoding loop differs from ours.
 */
export type OracleWeights = "float32" | "8-bit";

/**
 * What is missing, or undefined if it can run. The 8-bit weights also need onnxruntime, which is installed with
 * faster-whisper.
 */
export const oracleUnavailableReason = (env: NodeJS.ProcessEnv = process.env): string | undefined =>
  fasterWhisperUnavailableReason(env);

/** One result per request. @throws Error if Python cannot run it */
export async function transcribeWithOracle(
  requests: readonly OracleRequest[],
  weights: OracleWeights,
  env: NodeJS.ProcessEnv = process.env,
): Promise<OracleResult[]> {
  const folder = await mkdtemp(join(tmpdir(), "hearsay-oracle-"));
  const script = join(import.meta.dirname, "whisper_oracle.py");
  const args = [
    script,
    env["HEARSAY_BENCH_WHISPER_DIR"] ?? "",
    String(availableParallelism()),
    ...(weights === "8-bit" ? [shippedModel("whisper-base").dir] : []),
  ];
  const child = spawn(env["HEARSAY_BENCH_PYTHON"] ?? "python3", args, {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const closed = once(child, "close");
  // Awaited below; until then a Python that does not start must not cause an unhandled rejection.
  closed.catch(() => {});
  try {
    // Writing to a process that has exited: the missing responses are detected below.
    child.stdin.on("error", () => {});
    for (const [index, { samples, language }] of requests.entries()) {
      const path = join(folder, `${index}.f32`);
      await writeFile(path, samples);
      child.stdin.write(`${JSON.stringify({ path, language })}\n`);
    }
    child.stdin.end();
    const results: OracleResult[] = [];
    for await (const line of createInterface({ input: child.stdout }))
      results.push(JSON.parse(line) as OracleResult);
    await closed;
    if (results.length !== requests.length)
      throw new Error(`faster-whisper answered ${results.length} of ${requests.length} questions`);
    return results;
  } finally {
    child.kill();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Joins the texts of segments. */
export const joinText = (segments: readonly TranscriptSegment[]): string =>
  segments
    .map(({ text }) => text)
    .filter(Boolean)
    .join(" ");

/**
 * Whether openai/whisper would sample these again at a higher temperature. That result would be random and is not
 * comparable.
 */
export const needsRetry = (segments: readonly TranscriptSegment[]): boolean =>
  segments.some(
    ({ avgLogprob, compressionRatio }) => avgLogprob < -1 || compressionRatio > maxCompressionRatio,
  );
