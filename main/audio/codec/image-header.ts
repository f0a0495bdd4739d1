// Reads type and size of JPEG and PNG images from their headers, for covers in media files. Pure.

export type ImageHeader = { type: "jpeg" | "png"; width: number; height: number };

/** Returns undefined for other formats and for damaged images. */
export function parseImageHeader(bytes: Uint8Array): ImageHeader | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length >= 24 && view.getUint32(0) === 0x89504e47 && view.getUint32(12) === 0x49484452)
    return { type: "png", width: view.getUint32(16), height: view.getUint32(20) };
  if (bytes.length < 4 || view.getUint16(0) !== 0xffd8) return undefined;
  // Segments up to the frame header SOF0 to SOF15 (ITU T.81, B.2.2); C4, C8 and CC are not frame headers.
  for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff; at += 2 + view.getUint16(at + 2)) {
    const marker = bytes[at + 1] ?? 0;
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker))
      return { type: "jpeg", width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
  }
  return undefined;
}
