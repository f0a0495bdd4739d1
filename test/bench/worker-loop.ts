// The worker's side of recognizer-workers.ts: holds the recording and passes its segments to a recognizer. Imports no
// model runtime, so that two runtimes never meet in one process.

import { readFileSync } from "node:fs";
import { pcmToFloat } from "../../main/audio/codec/pcm.ts";
import type { SpeechSegmentSpan } from "../../main/audio/dsp/vad-segmenter.ts";
import type { WorkerResponse, WorkerRequest } from "./recognizer-workers.ts";

export const sampleRateHz = 16_000;

export type CutSegment = { span: SpeechSegmentSpan; samples: Float32Array };
export type Recognizer = (segments: readonly CutSegment[]) => Promise<string[]>;

const respond = (message: WorkerResponse): boolean | undefined => process.send?.(message);

/** @param open creates the recognizer from the worker's options */
export function runWorker(open: (options: unknown) => Promise<Recognizer>): void {
  let recognize: Recognizer | undefined;
  let recording: Float32Array = new Float32Array(0);

  async function handleRequest(message: WorkerRequest): Promise<void> {
    if (message.type === "open") recognize = await open(message.options);
    else if (message.type === "recording") recording = pcmToFloat(readFileSync(message.pcmPath));
    else {
      const segments = message.segments.map((span) => ({
        span,
        samples: recording.subarray(
          Math.round(span.fromSec * sampleRateHz),
          Math.round(span.toSec * sampleRateHz),
        ),
      }));
      const start = performance.now();
      const texts = (await recognize?.(segments)) ?? [];
      respond({ type: "transcribed", texts, ms: performance.now() - start });
      return;
    }
    respond({ type: "ready" });
  }

  process.on("message", (message) => void handleRequest(message as WorkerRequest));
  process.on("disconnect", () => process.exit());
}
