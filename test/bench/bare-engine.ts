// A worker with nothing but the app's own engine.

import { loadSpeechToText } from "../../main/engines/engine-list.ts";
import { modelBundle } from "../../main/models/store.ts";
import { runWorker } from "./worker-loop.ts";

runWorker(async () => {
  const engine = await loadSpeechToText(modelBundle("moonshine-base"));
  const never = new AbortController().signal;
  return async (cut) => {
    const pieces = cut.map(
      ({ span: { fromSec, startSec, endSec, voicedSec, voiceProb }, samples }) => ({
        samples,
        offsetSec: fromSec,
        startSec,
        endSec,
        voicedSec,
        voiceProb,
      }),
    );
    const segments = await engine.run(
      pieces,
      { task: "transcribe", language: "en", temperature: 0, wordTimes: false },
      never,
    );
    return segments.map((own) => own.map(({ text }) => text).join(" "));
  };
});
