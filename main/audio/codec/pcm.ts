// Conversion of samples between floats and 16-bit integers.

/**
 * Samples in −1..1 as 16-bit little-endian integers. The scale is 32768, as in FFmpeg and all decoders, so 16-bit audio
 * survives a round trip unchanged; louder samples are clipped, non-finite ones become silence.
 */
export function floatToPcm(samples: Float32Array): Uint8Array {
  // Every platform of Node and Electron is little-endian.
  const integers = new Int16Array(samples.length);
  for (let i = 0; i < samples.length; i++) {
    const scaled = (samples[i] as number) * 32768;
    // Storing drops the fraction; adding half a step away from zero makes that rounding.
    integers[i] =
      scaled > 32767 ? 32767 : scaled < -32768 ? -32768 : scaled < 0 ? scaled - 0.5 : scaled + 0.5;
  }
  return new Uint8Array(integers.buffer);
}

/** 16-bit little-endian integers as samples in −1..1; an odd byte at the end is dropped. */
export function pcmToFloat(bytes: Uint8Array): Float32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const samples = new Float32Array(bytes.byteLength >> 1);
  for (let i = 0; i < samples.length; i++) samples[i] = view.getInt16(i * 2, true) / 32768;
  return samples;
}

/** Clips to −1..1 and silences non-finite samples, so that the input is safe for encoders. */
export function clipSamples(samples: Float32Array): Float32Array {
  return samples.map((sample) => Math.max(-1, Math.min(1, sample || 0)));
}

export function joinSamples(parts: readonly Float32Array[]): Float32Array<ArrayBuffer> {
  const joined = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}
