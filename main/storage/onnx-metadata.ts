// Reads and writes the properties of an .onnx file, which is a protobuf message: fields follow one another in any
// order, each with its length, so a property can be read without the graph and added at the end of the file.

import { type FileHandle, open } from "node:fs/promises";

/** Field of ModelProto: properties, each with a key and a value. */
const metadataField = 14;
const lengthDelimited = 2;
const maxVarintBytes = 10;

function encodeVarint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest]);
    bytes.push((rest % 128) + 128);
  }
}

const encodeField = (field: number, bytes: Buffer): Buffer =>
  Buffer.concat([encodeVarint(field * 8 + lengthDelimited), encodeVarint(bytes.length), bytes]);

/** Bytes to append to an .onnx file. */
export const encodeOnnxMetadata = (properties: Readonly<Record<string, string | number>>): Buffer =>
  Buffer.concat(
    Object.entries(properties).map(([key, value]) =>
      encodeField(
        metadataField,
        Buffer.concat([
          encodeField(1, Buffer.from(key)),
          encodeField(2, Buffer.from(String(value))),
        ]),
      ),
    ),
  );

type Varint = { value: number; next: number };

function decodeVarint(bytes: Buffer, from: number): Varint | undefined {
  let value = 0;
  for (let at = from; at < Math.min(bytes.length, from + maxVarintBytes); at += 1) {
    const byte = bytes[at] as number;
    value += (byte % 128) * 2 ** (7 * (at - from));
    if (byte < 128) return { value, next: at + 1 };
  }
  return undefined;
}

/** The properties of an .onnx file; none if it is not one. */
export async function readOnnxMetadata(path: string): Promise<ReadonlyMap<string, string>> {
  const file = await open(path, "r");
  try {
    const properties = new Map<string, string>();
    const { size } = await file.stat();
    for (let position = 0; position < size;) {
      const header = await readBytes(file, position, 2 * maxVarintBytes);
      const tag = decodeVarint(header, 0);
      const content = tag && decodeVarint(header, tag.next);
      if (tag === undefined || content === undefined) break;
      const wireType = tag.value % 8;
      if (wireType !== 0 && wireType !== lengthDelimited) break;
      if (wireType === 0) {
        position += content.next;
        continue;
      }
      if (Math.floor(tag.value / 8) === metadataField) {
        const { key, value } = decodeProperty(
          await readBytes(file, position + content.next, content.value),
        );
        properties.set(key, value);
      }
      position += content.next + content.value;
    }
    return properties;
  } finally {
    await file.close();
  }
}

async function readBytes(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

function decodeProperty(bytes: Buffer): { key: string; value: string } {
  const texts = ["", ""];
  for (let position = 0; position < bytes.length;) {
    const tag = decodeVarint(bytes, position);
    const length = tag && decodeVarint(bytes, tag.next);
    if (tag === undefined || length === undefined) break;
    position = length.next + length.value;
    texts[Math.floor(tag.value / 8) - 1] = bytes.toString("utf8", length.next, position);
  }
  return { key: texts[0] as string, value: texts[1] as string };
}
