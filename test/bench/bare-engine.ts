// A worker that runs only the app's own engine.

import { loadSpeechToText } from "../../main/engines/engine-list.ts";
import { shippedModel } from "../../main/models/shipped-models.ts";
import { runWorker } from "./worker-loop.ts";

runWorker(async () => {
  const engine = await loadSpeechToText(shippedModel("moonshine-base"));
  const neverAborted = new AbortController().signal;
  return async (cutSegments) => {
    const segmentInputs = cutSegments.map(
      ({ span: { fromSec, startSec, endSec, voicedSec, voiceProb }, samples }) => ({
        samples,
        offsetSec: fromSec,
        startSec,
        endSec,
        voicedSec,
        voiceProb,
      }),
    );
    const segments = await engine.transcribe(
      segmentInputs,
      { task: "transcribe", language: "en", temperature: 0, wordTimes: false },
      neverAborted,
    );
    return segments.map((lines) => lines.map(({ text }) => text).join(" "));
  };
});
