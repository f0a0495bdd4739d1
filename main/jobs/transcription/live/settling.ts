// The last pass over speech that has ended: with its neighbors, where the model transcribes these together in a file,
// so that the text is that of the file.

import type { OpenSpeech } from "../../../audio/dsp/vad-segmenter.ts";
import type { SpeechSpan } from "../../../contract/speech.ts";
import type { TranscribedSegment } from "../../../library/transcript-rows.ts";
import type { LiveRecognizer } from "./live-recognizer.ts";

export type SettlingOptions = {
  recognizer: Pick<LiveRecognizer, "settle">;
  readSec(fromSec: number, toSec: number): Promise<Uint8Array>;
  onSettled(startSec: number, segments: readonly TranscribedSegment[]): Promise<void> | void;
  /** The last pass over it begins. */
  onPass(span: SpeechSpan): void;
  onFailure(error: unknown): void;
  signal: AbortSignal;
};

export type Settling = {
  /** Takes speech in time order. @param joinMaxSec of neighbors that are transcribed together; undefined: none are */
  add(span: SpeechSpan, joinMaxSec: number | undefined): void;
  /** Settles neighbors that nothing can join any more, since the next speech is too far away, or too long. */
  follow(openSpeech: OpenSpeech | undefined, processedSec: number): void;
  /** Nothing joins what was added so far. Resolves when it is settled. */
  flush(): Promise<void>;
  /** Start of the speech that is not settled; Infinity if there is none. */
  neededFromSec(): number;
};

/** Whisper's windows hold no longer pause between neighbors. */
const joinMaxPauseSec = 1.5;

const lengthSec = (spans: readonly SpeechSpan[]): number =>
  spans.reduce((sum, { fromSec, toSec }) => sum + toSec - fromSec, 0);

export function createSettling({
  recognizer,
  readSec,
  onSettled,
  onPass,
  onFailure,
  signal,
}: SettlingOptions): Settling {
  let neighbors: SpeechSpan[] = [];
  let maxSec = 0;
  /** The passes, one after the other. */
  let passes: Promise<void> = Promise.resolve();
  const unsettled = new Set<SpeechSpan>();

  function flush(): Promise<void> {
    const spans = neighbors;
    neighbors = [];
    if (spans.length > 0) passes = settleAfter(passes, spans).catch(onFailure);
    return passes;
  }

  async function settleAfter(earlier: Promise<void>, spans: readonly SpeechSpan[]): Promise<void> {
    const [first, last] = [spans[0], spans.at(-1)];
    await earlier;
    if (signal.aborted || first === undefined || last === undefined) return;
    spans.forEach(onPass);
    const pcm = await readSec(first.fromSec, last.toSec);
    const segments = await recognizer.settle(pcm, spans, signal);
    const bySpan = Map.groupBy(
      segments,
      ({ startSec, endSec }) =>
        spans.findLast((span) => span.startSec <= (startSec + endSec) / 2) ?? first,
    );
    for (const span of spans) {
      await onSettled(span.startSec, bySpan.get(span) ?? []);
      unsettled.delete(span);
    }
  }

  return {
    add(span, joinMaxSec = 0) {
      const last = neighbors.at(-1);
      maxSec = joinMaxSec;
      const isApart = last !== undefined && span.startSec - last.endSec > joinMaxPauseSec;
      if (isApart || lengthSec([...neighbors, span]) > maxSec) void flush();
      neighbors.push(span);
      unsettled.add(span);
      if (lengthSec(neighbors) >= maxSec) void flush();
    },
    follow(openSpeech, processedSec) {
      const last = neighbors.at(-1);
      if (last === undefined) return;
      const openSec = openSpeech === undefined ? 0 : processedSec - openSpeech.fromSec;
      const pauseSec = (openSpeech?.startSec ?? processedSec) - last.endSec;
      if (pauseSec > joinMaxPauseSec || lengthSec(neighbors) + openSec > maxSec) void flush();
    },
    flush,
    neededFromSec: () => Math.min(...Array.from(unsettled, ({ fromSec }) => fromSec)),
  };
}
