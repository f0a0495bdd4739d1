// Telephone audio: one byte per sample, μ-law or A-law (ITU-T G.711), to samples in −1..1.

const muLaw = Float32Array.from({ length: 256 }, (_, code) => {
  const bits = ~code & 0xff;
  const magnitude = ((((bits & 0x0f) << 3) + 0x84) << ((bits & 0x70) >> 4)) - 0x84;
  return ((bits & 0x80) === 0 ? magnitude : -magnitude) / 32768;
});

const aLaw = Float32Array.from({ length: 256 }, (_, code) => {
  const bits = code ^ 0x55;
  const exponent = (bits & 0x70) >> 4;
  const mantissa = ((bits & 0x0f) << 4) + (exponent === 0 ? 8 : 0x108);
  const magnitude = exponent === 0 ? mantissa : mantissa << (exponent - 1);
  return ((bits & 0x80) === 0 ? -magnitude : magnitude) / 32768;
});

export const decodeMuLaw = (bytes: Uint8Array): Float32Array => decode(bytes, muLaw);
export const decodeALaw = (bytes: Uint8Array): Float32Array => decode(bytes, aLaw);

const decode = (bytes: Uint8Array, table: Float32Array): Float32Array =>
  Float32Array.from(bytes, (code) => table[code] as number);
