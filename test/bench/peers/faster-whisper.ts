// faster-whisper in a Python process, one file per request. HEARSAY_BENCH_PYTHON: a Python where it is installed.
// HEARSAY_BENCH_WHISPER_DIR: Whisper base in CTranslate2 format.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

export type FasterWhisper = {
  /** @param mode `batched` is its fastest mode, `plain` its default */
  transcribe(
    path: string,
    language: string,
    mode: "plain" | "batched",
  ): Promise<{ text: string; ms: number }>;
  close(): Promise<void>;
};

/** Why it cannot run here, or undefined if it can. */
export function fasterWhisperUnavailableReason(
  env: NodeJS.ProcessEnv = process.env,
): string | undefined {
  const { HEARSAY_BENCH_PYTHON: python, HEARSAY_BENCH_WHISPER_DIR: model } = env;
  if (python === undefined || !existsSync(python))
    return "HEARSAY_BENCH_PYTHON names no Python with faster-whisper";
  if (model === undefined || !existsSync(join(model, "model.bin")))
    return "HEARSAY_BENCH_WHISPER_DIR names no folder with model.bin";
  return undefined;
}

/** @throws Error if Python cannot load it */
export async function startFasterWhisper(
  threads: number,
  env: NodeJS.ProcessEnv = process.env,
): Promise<FasterWhisper> {
  const script = join(import.meta.dirname, "faster_whisper_loop.py");
  const child = spawn(
    env["HEARSAY_BENCH_PYTHON"] ?? "python3",
    [script, env["HEARSAY_BENCH_WHISPER_DIR"] ?? "", String(threads)],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextLine = async (): Promise<string> => {
    const { value, done } = await lines.next();
    if (done === true) throw new Error("faster-whisper ended");
    return value;
  };
  await nextLine();
  return {
    async transcribe(path, language, mode) {
      child.stdin.write(`${JSON.stringify({ path, language, batched: mode === "batched" })}\n`);
      return JSON.parse(await nextLine()) as { text: string; ms: number };
    },
    async close() {
      const exited = once(child, "exit");
      child.stdin.end();
      await exited;
    },
  };
}
