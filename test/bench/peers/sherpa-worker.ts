// A worker with sherpa-onnx-node's recognizer; it transcribes one speech segment at a time.

import { createRequire } from "node:module";
import { join } from "node:path";
import { runWorker, sampleRateHz } from "../worker-loop.ts";
import type { SherpaOptions } from "./sherpa.ts";

/** The used part of the package's API. */
type Sherpa = {
  OfflineRecognizer: new (config: object) => {
    createStream(): { acceptWaveform(sound: { samples: Float32Array; sampleRate: number }): void };
    decode(stream: object): void;
    getResult(stream: object): { text: string };
  };
};

runWorker(async (options) => {
  const { packageDir, encoder, decoder, tokens, threads } = options as SherpaOptions;
  const { OfflineRecognizer } = createRequire(join(packageDir, "package.json"))(
    packageDir,
  ) as Sherpa;
  const recognizer = new OfflineRecognizer({
    featConfig: { sampleRate: sampleRateHz, featureDim: 80 },
    modelConfig: {
      moonshine: { encoder, mergedDecoder: decoder },
      tokens,
      numThreads: threads,
      provider: "cpu",
      debug: 0,
    },
  });
  return async (segments) =>
    segments.map(({ samples }) => {
      const stream = recognizer.createStream();
      stream.acceptWaveform({ samples, sampleRate: sampleRateHz });
      recognizer.decode(stream);
      return recognizer.getResult(stream).text.trim();
    });
});
