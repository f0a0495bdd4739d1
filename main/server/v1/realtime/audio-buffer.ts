// The audio of a realtime session: bytes as clients send them become 16-bit samples at 16 kHz, of which only those are
// kept that may still be read.

import { decodeALaw, decodeMuLaw } from "../../../audio/codec/g711.ts";
import { joinBytes } from "../../../audio/codec/framing.ts";
import { floatToPcm, pcmToFloat } from "../../../audio/codec/pcm.ts";
import { createStreamingResampler } from "../../../audio/dsp/streaming-resampler.ts";
import type { RealtimeAudioFormat } from "../../../contract/realtime.ts";

export type AudioBuffer = {
  /** @returns number of samples received so far */
  append(bytes: Uint8Array): number;
  /** Samples `from` to `to` (exclusive), without those that are gone. */
  read(from: number, to: number): Uint8Array;
  /** Forgets earlier samples. */
  keepFrom(sample: number): void;
};

const targetHz = 16_000;
/** Smaller chunks are joined: every read goes through all of them. */
const minChunkBytes = 8192;

export function createAudioBuffer(format: RealtimeAudioFormat): AudioBuffer {
  const resampler = createStreamingResampler(
    format.type === "audio/pcm" ? format.rate : 8000,
    targetHz,
  );
  /** Half a sample of the last chunk. */
  let rest: Uint8Array = new Uint8Array(0);
  let chunks: { from: number; pcm: Uint8Array }[] = [];
  let sampleCount = 0;

  function decode(bytes: Uint8Array): Float32Array {
    if (format.type === "audio/pcmu") return decodeMuLaw(bytes);
    if (format.type === "audio/pcma") return decodeALaw(bytes);
    const whole = rest.length === 0 ? bytes : joinBytes([rest, bytes]);
    rest = whole.slice(whole.length & ~1);
    return pcmToFloat(whole);
  }

  return {
    append(bytes) {
      const pcm = floatToPcm(resampler.process(decode(bytes)));
      const last = chunks.at(-1);
      if (last !== undefined && last.pcm.length < minChunkBytes)
        last.pcm = joinBytes([last.pcm, pcm]);
      else if (pcm.length > 0) chunks.push({ from: sampleCount, pcm });
      sampleCount += pcm.length / 2;
      return sampleCount;
    },
    read: (from, to) =>
      joinBytes(
        chunks.map((chunk) =>
          chunk.pcm.subarray(Math.max(0, from - chunk.from) * 2, Math.max(0, to - chunk.from) * 2),
        ),
      ),
    keepFrom(sample) {
      chunks = chunks.filter(({ from, pcm }) => from + pcm.length / 2 > sample);
    },
  };
}
