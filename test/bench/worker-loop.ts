// A worker's end of piece-workers.ts: keeps the recording, hands its pieces to a recogniser. Imports nothing that
// runs a model, so that two runtimes never meet in one process.

import { readFileSync } from "node:fs";
import { pcmToFloat } from "../../main/audio/codec/pcm.ts";
import type { PieceSpan } from "../../main/audio/dsp/segments.ts";
import type { FromWorker, ToWorker } from "./piece-workers.ts";

export const sampleRateHz = 16_000;

export type CutPiece = { span: PieceSpan; samples: Float32Array };
export type Recogniser = (pieces: readonly CutPiece[]) => Promise<string[]>;

const answer = (message: FromWorker): boolean | undefined => process.send?.(message);

/** @param open makes the recogniser from the options given to the worker */
export function runWorker(open: (options: unknown) => Promise<Recogniser>): void {
  let recognise: Recogniser | undefined;
  let recording: Float32Array = new Float32Array(0);

  async function take(message: ToWorker): Promise<void> {
    if (message.type === "open") recognise = await open(message.options);
    else if (message.type === "recording") recording = pcmToFloat(readFileSync(message.pcmPath));
    else {
      const pieces = message.pieces.map((span) => ({
        span,
        samples: recording.subarray(
          Math.round(span.fromSec * sampleRateHz),
          Math.round(span.toSec * sampleRateHz),
        ),
      }));
      const start = performance.now();
      const texts = (await recognise?.(pieces)) ?? [];
      answer({ type: "heard", texts, ms: performance.now() - start });
      return;
    }
    answer({ type: "ready" });
  }

  process.on("message", (message) => void take(message as ToWorker));
  process.on("disconnect", () => process.exit());
}
