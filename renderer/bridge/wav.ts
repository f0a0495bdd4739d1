// Encodes samples as WAV: http://soundfile.sapp.org/doc/WaveFormat/

const sampleRateHz = 16_000;
const headerBytes = 44;

/** 16-bit mono at 16 kHz. */
export function encodeWav(blocks: readonly Int16Array[]): Blob {
  const dataBytes = blocks.reduce((sum, block) => sum + block.byteLength, 0);
  const header = new DataView(new ArrayBuffer(headerBytes));
  const writeAscii = (offset: number, text: string): void =>
    Array.from(text).forEach((letter, index) =>
      header.setUint8(offset + index, letter.charCodeAt(0)),
    );
  writeAscii(0, "RIFF");
  header.setUint32(4, headerBytes - 8 + dataBytes, true);
  writeAscii(8, "WAVEfmt ");
  header.setUint32(16, 16, true);
  header.setUint16(20, 1, true);
  header.setUint16(22, 1, true);
  header.setUint32(24, sampleRateHz, true);
  header.setUint32(28, sampleRateHz * 2, true);
  header.setUint16(32, 2, true);
  header.setUint16(34, 16, true);
  writeAscii(36, "data");
  header.setUint32(40, dataBytes, true);
  return new Blob([header, ...blocks.map((block) => new Int16Array(block))], { type: "audio/wav" });
}
