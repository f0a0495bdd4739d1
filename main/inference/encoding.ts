// Encodes one file in a pool child. A lost child is replaced: encoders are deterministic, so the new child encodes the
// same samples again, and the bytes already returned are skipped.

import { stat } from "node:fs/promises";
import { AppError } from "../contract/errors.ts";
import type { AudioFormat } from "../contract/speech.ts";
import type { PinnedChild, PoolJob } from "../engines/pool/pool.ts";
import { createChildLossCheck } from "../engines/pool/retry-on-child-loss.ts";

export type Encoding = {
  /** Chooses a child and starts encoding before the first samples exist; the total length is unknown then. */
  start(): void;
  /** The session of the chosen child; undefined before. */
  session(): string | undefined;
  /**
   * Encodes a PCM file, which must exist until the end of encoding. `isComplete`: no more samples follow, so a header
   * can contain the true length.
   */
  push(pcmPath: string, isComplete: boolean): Promise<Uint8Array>;
  finish(): Promise<Uint8Array>;
  close(): void;
};

const bytesPerSample = 2;

export function createEncoding(
  job: PoolJob,
  options: { format: AudioFormat; quality: "standard" | "high" },
): Encoding {
  const pushedPaths: string[] = [];
  let totalSamples: number | undefined;
  let returnedBytes = 0;
  let child: PinnedChild | undefined;
  let opened: Promise<PinnedChild> | undefined;
  const checkRestart = createChildLossCheck(() => new AppError("engine.encoderFailed"));

  function open(): Promise<PinnedChild> {
    const pinned = job.pin();
    child = pinned;
    opened = pinned
      .run("encode.open", {
        session: pinned.session,
        ...options,
        ...(totalSamples === undefined ? {} : { totalSamples }),
      })
      .then(() => pinned);
    return opened;
  }

  /** Encodes everything again and skips the bytes already returned. */
  async function replay(last: "encode.push" | "encode.finish"): Promise<Uint8Array> {
    child?.release();
    const newChild = await open();
    const parts: Uint8Array[] = [];
    for (const pcmPath of pushedPaths)
      parts.push(await newChild.run("encode.push", { session: newChild.session, pcmPath }));
    if (last === "encode.finish")
      parts.push(await newChild.run("encode.finish", { session: newChild.session }));
    return Buffer.concat(parts).subarray(returnedBytes);
  }

  async function runStep(
    step: "encode.push" | "encode.finish",
    run: () => Promise<Uint8Array>,
  ): Promise<Uint8Array> {
    for (let attempt = run; ; attempt = () => replay(step)) {
      try {
        const bytes = await attempt();
        returnedBytes += bytes.length;
        return bytes;
      } catch (error) {
        checkRestart(error);
      }
    }
  }

  return {
    start: () => void open().catch(() => {}),
    session: () => child?.session,
    push(pcmPath, isComplete) {
      return runStep("encode.push", async () => {
        if (isComplete) totalSamples = (await stat(pcmPath)).size / bytesPerSample;
        pushedPaths.push(pcmPath);
        const { run, session } = await (opened ?? open());
        return run("encode.push", { session, pcmPath });
      });
    },
    finish() {
      return runStep("encode.finish", async () => {
        const { run, session } = await (opened ?? open());
        return run("encode.finish", { session });
      });
    },
    close: () => child?.release(),
  };
}
