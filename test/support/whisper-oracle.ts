// The reference our Whisper is held against: faster-whisper in a Python of its own, with the weights in float32 or with
// our very files, on the very samples our engine gets. It is no part of the project: whoever asks it skips, by name, where
// it is missing.
// HEARSAY_BENCH_PYTHON: a Python that has it. HEARSAY_BENCH_WHISPER_DIR: the same weights in CTranslate2's form.
//
// Seen in faster-whisper 1.2.1: the log-mel is made of the sound with one hop (160 samples) of silence behind it, the
// frames of the sound alone are kept and filled up to 3,000 with the value 0, as openai/whisper does. Its
// `avg_logprob` counts the end token, its `no_speech_prob` is read at the start token.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { TranscriptSegment } from "../../main/contract/speech.ts";
import { maxCompressionRatio } from "../../main/engines/stt/scores.ts";
import { modelBundle } from "../../main/models/store.ts";
import { fasterWhisperUnavailableReason } from "../bench/peers/faster-whisper.ts";

/** Samples are mono at 16 kHz. */
export type OracleRequest = { samples: Float32Array; language: string };

/** Segments carry Whisper's own figures, `noSpeechProb` too. Text is heard in the language of the question. */
export type OracleResult = {
  /** Detected, whatever the question's. */
  language: string;
  languageProbability: number;
  /** Without timestamp tokens: a segment a window. */
  plain: TranscriptSegment[];
  /** With timestamp tokens. */
  timed: TranscriptSegment[];
  /** As `plain`, the first window alone, with the times of the words; a word begins with its space. */
  worded: TranscriptSegment[];
  translated: TranscriptSegment[];
  translatedTimed: TranscriptSegment[];
};

/** `8-bit` are the files this project ships, run by onnxruntime for Python: what differs from ours then is the loop alone. */
export type OracleWeights = "float32" | "8-bit";

/** What lacks, for whoever skips; undefined where it can be asked. The 8-bit weights need onnxruntime too, which comes with faster-whisper. */
export const oracleUnavailableReason = (env: NodeJS.ProcessEnv = process.env): string | undefined =>
  fasterWhisperUnavailableReason(env);

/** One answer to each question. @throws Error where Python cannot run it */
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
    ...(weights === "8-bit" ? [modelBundle("whisper-base").dir] : []),
  ];
  const child = spawn(env["HEARSAY_BENCH_PYTHON"] ?? "python3", args, {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const closed = once(child, "close");
  // Awaited below; a Python that does not start must not be an unhandled failure before.
  closed.catch(() => {});
  try {
    // Written while nobody listens any more: the missing answers tell.
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

/** The whole text of some segments. */
export const joinText = (segments: readonly TranscriptSegment[]): string =>
  segments
    .map(({ text }) => text)
    .filter(Boolean)
    .join(" ");

/** Whether openai/whisper would sample these again at a higher temperature: what comes then is chance, and compares with nothing. */
export const needsRetry = (segments: readonly TranscriptSegment[]): boolean =>
  segments.some(
    ({ avgLogprob, compressionRatio }) => avgLogprob < -1 || compressionRatio > maxCompressionRatio,
  );
