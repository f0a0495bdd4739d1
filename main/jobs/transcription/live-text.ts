// Text while one speaks: a recording is listened to as it grows, and each stretch of speech is heard as soon as it has
// ended. Where that fails, or does not keep up, nothing is lost: the rest is heard when the recording has ended.

import { randomUUID } from "node:crypto";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { joinBytes, wavHeader } from "../../audio/codec/framing.ts";
import type { PieceSpan } from "../../audio/dsp/segments.ts";
import type { ModelBundle } from "../../contract/speech.ts";
import type { TranscribeOptions } from "../../contract/studio.ts";
import type { PinnedChild, PoolJob } from "../../engines/pool/pool.ts";
import type { HeardSegment } from "../../library/documents.ts";
import type { Log } from "../../log.ts";
import { writeFile } from "../../storage/disk.ts";
import { ask, heardSegment, jobFor, type OnAsked, textSegment } from "./asking.ts";
import type { HearingDeps } from "./hearing.ts";
import { headerBytes, sampleRateHz } from "./recording-file.ts";

export type LiveText = {
  /** There are so many samples on the disk now. */
  grew(samples: number): void;
  /** Ends what is under way. */
  close(): Promise<void>;
};

export type LiveTextDeps = HearingDeps & { voiceActivity: ModelBundle; log: Log };

export type LiveTextOptions = {
  recordingPath: string;
  options: TranscribeOptions;
  /** In time order. */
  onHeard(segments: readonly HeardSegment[]): Promise<void>;
  onAsked: OnAsked;
};

export function createLiveText(
  deps: LiveTextDeps,
  { recordingPath, options, onHeard, onAsked }: LiveTextOptions,
): LiveText {
  const stop = new AbortController();
  const job: PoolJob = deps.pool.job(stop.signal);
  const pinned: PinnedChild = job.pin();
  let wanted = 0;
  let listened = 0;
  let listening: Promise<void> | undefined;
  let hearing: Promise<void> = Promise.resolve();

  async function listen(): Promise<void> {
    const { session } = pinned;
    if (listened === 0)
      await pinned.run("live.open", { session, voiceActivity: deps.voiceActivity });
    while (listened < wanted) {
      const to = wanted;
      const pieces = await pinned.run("live.step", {
        session,
        path: recordingPath,
        fromByte: byteOf(listened),
        toByte: byteOf(to),
      });
      listened = to;
      for (const piece of pieces) hearing = hearing.then(() => hear(piece));
      hearing.catch(giveUp);
    }
  }

  async function hear(piece: PieceSpan): Promise<void> {
    stop.signal.throwIfAborted();
    const wavPath = join(deps.tempDir(), `live-${randomUUID()}.wav`);
    try {
      await copySpan(recordingPath, wavPath, piece);
      const place = {
        fromSec: piece.fromSec,
        toSec: piece.toSec,
        language: options.translate ? "en" : options.language,
      };
      for await (const { event } of ask(
        deps,
        { ...jobFor(options, wavPath), onAsked },
        stop.signal,
      )) {
        if (event.type !== "done") continue;
        const { text, segments } = event.transcript;
        const heard =
          segments.length > 0
            ? segments.map((segment) => heardSegment(segment, place))
            : [textSegment(text, piece.startSec, piece.endSec, place.language)];
        const spoken = heard.filter((segment) => segment.text !== "");
        if (spoken.length > 0) await onHeard(spoken);
      }
    } finally {
      await rm(wavPath, { force: true });
    }
  }

  function giveUp(error: unknown): void {
    if (!stop.signal.aborted)
      deps.log.warn({ err: error }, "a recording is not heard while it is made");
    stop.abort();
    pinned.release();
  }

  return {
    grew(samples) {
      wanted = samples;
      if (stop.signal.aborted || listening !== undefined) return;
      listening = listen()
        .catch(giveUp)
        .finally(() => {
          listening = undefined;
        });
    },
    async close() {
      stop.abort();
      await Promise.allSettled([listening, hearing]);
      pinned.release();
    },
  };
}

const byteOf = (sample: number): number => headerBytes + sample * 2;

/** A piece of a recording that is being made, as a file of its own. */
async function copySpan(
  recordingPath: string,
  wavPath: string,
  { fromSec, toSec }: PieceSpan,
): Promise<void> {
  const [from, to] = [
    byteOf(Math.round(fromSec * sampleRateHz)),
    byteOf(Math.round(toSec * sampleRateHz)),
  ];
  const file = await open(recordingPath);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(to - from), 0, to - from, from);
    await writeFile(
      wavPath,
      joinBytes([wavHeader(sampleRateHz, bytesRead / 2), buffer.subarray(0, bytesRead)]),
    );
  } finally {
    await file.close();
  }
}
