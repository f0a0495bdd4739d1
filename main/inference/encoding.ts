// One file being encoded by a child of the pool. A child that is lost is replaced: encoders are
// deterministic, so a new one is fed the same samples and the bytes that were already given are passed over.

import { stat } from "node:fs/promises";
import { AppError } from "../contract/errors.ts";
import type { AudioFormat } from "../contract/speech.ts";
import type { PinnedChild, PoolJob } from "../engines/pool/pool.ts";
import { createRestarts } from "../engines/pool/retry-on-child-loss.ts";

export type Encoding = {
  /** Chooses a child and begins before the first samples are there; the length of the whole is not known then. */
  begin(): void;
  /** The session of the chosen child; undefined before. */
  session(): string | undefined;
  /** Encodes a file of PCM, which must stay until the end. `isAll`: nothing else will come, so a header may tell the true length. */
  push(pcmPath: string, isAll: boolean): Promise<Uint8Array>;
  finish(): Promise<Uint8Array>;
  close(): void;
};

const bytesPerSample = 2;

export function createEncoding(
  job: PoolJob,
  options: { format: AudioFormat; quality: "standard" | "high" },
): Encoding {
  const pushed: string[] = [];
  let totalSamples: number | undefined;
  let givenBytes = 0;
  let child: PinnedChild | undefined;
  let opened: Promise<PinnedChild> | undefined;
  const restart = createRestarts(
    () => new AppError("engine_failed", "The audio encoder failed twice."),
  );

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

  /** Everything up to here once more, less the bytes that were given. */
  async function replay(last: "encode.push" | "encode.finish"): Promise<Uint8Array> {
    child?.release();
    const fresh = await open();
    const parts: Uint8Array[] = [];
    for (const pcmPath of pushed)
      parts.push(await fresh.run("encode.push", { session: fresh.session, pcmPath }));
    if (last === "encode.finish")
      parts.push(await fresh.run("encode.finish", { session: fresh.session }));
    return Buffer.concat(parts).subarray(givenBytes);
  }

  async function give(
    step: "encode.push" | "encode.finish",
    run: () => Promise<Uint8Array>,
  ): Promise<Uint8Array> {
    for (let attempt = run; ; attempt = () => replay(step)) {
      try {
        const bytes = await attempt();
        givenBytes += bytes.length;
        return bytes;
      } catch (error) {
        restart(error);
      }
    }
  }

  return {
    begin: () => void open().catch(() => {}),
    session: () => child?.session,
    push(pcmPath, isAll) {
      return give("encode.push", async () => {
        if (isAll) totalSamples = (await stat(pcmPath)).size / bytesPerSample;
        pushed.push(pcmPath);
        const { run, session } = await (opened ?? open());
        return run("encode.push", { session, pcmPath });
      });
    },
    finish() {
      return give("encode.finish", async () => {
        const { run, session } = await (opened ?? open());
        return run("encode.finish", { session });
      });
    },
    close: () => child?.release(),
  };
}
