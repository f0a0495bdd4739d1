import { Readable } from "node:stream";
import { extract } from "tar-stream";
import { expect, it } from "vitest";
import { tarBlob } from "../../../../../renderer/features/models/tar-blob.ts";

it("packs files so that a tar reader finds them", async () => {
  const files = {
    "whisper/config.json": "{}",
    "whisper/empty.txt": "",
    [`whisper/${"folder/".repeat(20)}modèle.onnx`]: "x".repeat(1000),
    "whisper/block.bin": "y".repeat(512),
  };
  const archive = tarBlob(
    Object.entries(files).map(([path, text]) => ({ path, file: new Blob([text]) })),
  );
  const found: Record<string, string> = {};
  const reader = Readable.from([Buffer.from(await archive.arrayBuffer())]).pipe(extract());
  for await (const entry of reader) {
    const chunks: Buffer[] = [];
    for await (const chunk of entry) chunks.push(chunk as Buffer);
    found[entry.header.name] = Buffer.concat(chunks).toString();
  }
  expect(found).toEqual(files);
});
