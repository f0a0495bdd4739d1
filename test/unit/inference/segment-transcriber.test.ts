import { expect, it, onTestFinished } from "vitest";
import { createSegmentTranscriber } from "../../../main/inference/segment-transcriber.ts";
import { createPoolJob } from "../../../main/engines/pool/pool-job.ts";
import type { TranscriptionModels } from "../../../main/models/defaults.ts";
import { transcriptionJob } from "../../support/app.ts";
import { localModels } from "../../support/local-models.ts";

it("leaves no unhandled rejection when the first speech segment fails before the language is detected", async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  const others = process.listeners("unhandledRejection");
  process.removeAllListeners("unhandledRejection");
  process.on("unhandledRejection", note);
  onTestFinished(() => {
    process.off("unhandledRejection", note);
    for (const other of others) process.on("unhandledRejection", other);
  });
  const left = new Error("the client left");
  const poolJob = createPoolJob({
    run: () => Promise.reject(left),
    pin() {
      throw new Error("not asked for");
    },
  });
  const transcriber = createSegmentTranscriber(
    localModels().names.transcription("whisper-1", "transcribe") as TranscriptionModels,
    transcriptionJob("x.wav"),
    poolJob,
    2,
  );
  const [result] = transcriber.transcribe("x.pcm", [
    { fromSec: 0, toSec: 3, startSec: 0, endSec: 3, voicedSec: 3, voiceProb: 1 },
  ]);
  await expect(result).rejects.toBe(left);
  transcriber.endInput();
  // Node reports an unhandled rejection after all pending microtasks.
  await new Promise((resolve) => setImmediate(resolve));
  expect(unhandled).toEqual([]);
});
