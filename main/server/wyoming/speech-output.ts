// Speech as audio events of the Wyoming protocol, sent while it is generated.

import type { SpeechChunk } from "../../contract/speech.ts";
import type { Send } from "./wire-format.ts";

/** Of this machine's voices, in the format `pcm`. */
const pcmFormat = { rate: 24_000, width: 2, channels: 1 } as const;
const bytesPerMs = (pcmFormat.rate * pcmFormat.width) / 1000;
/** A quarter of a second. */
const maxChunkBytes = 12_000;

export type SpeechOutput = {
  play(chunks: AsyncIterable<SpeechChunk>): Promise<void>;
  /** Also where there was nothing to say: clients wait for the end of the audio. */
  end(): Promise<void>;
};

export function createSpeechOutput(send: Send): SpeechOutput {
  let sentBytes = 0;
  let isStarted = false;
  const timestamp = (): number => Math.round(sentBytes / bytesPerMs);

  async function start(): Promise<void> {
    if (isStarted) return;
    isStarted = true;
    await send("audio-start", { ...pcmFormat, timestamp: 0 });
  }

  return {
    async play(chunks) {
      for await (const { bytes } of chunks) {
        for (let from = 0; from < bytes.length; from += maxChunkBytes) {
          await start();
          const payload = bytes.subarray(from, from + maxChunkBytes);
          await send("audio-chunk", { ...pcmFormat, timestamp: timestamp() }, payload);
          sentBytes += payload.length;
        }
      }
    },
    async end() {
      await start();
      await send("audio-stop", { timestamp: timestamp() });
    },
  };
}
