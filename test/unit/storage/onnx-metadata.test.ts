import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { encodeOnnxMetadata, readOnnxMetadata } from "../../../main/storage/onnx-metadata.ts";
import { floats, writeOnnx } from "../../support/onnx-writer.ts";
import { openTestFolder } from "../../support/test-data.ts";

const graph = writeOnnx({
  inputs: { x: ["float", ["N"]] },
  outputs: { y: ["float", ["N"]] },
  nodes: [{ op: "Add", inputs: ["x", "w"], outputs: ["y"] }],
  initializers: { w: floats([300], Array<number>(300).fill(1)) },
  metadata: { sample_rate: 22_050, voice: "fr" },
});

it("reads the properties of a graph, and those appended to its file", async () => {
  const path = join(await openTestFolder(), "graph.onnx");
  await writeFile(path, graph);
  expect(Object.fromEntries(await readOnnxMetadata(path))).toEqual({
    sample_rate: "22050",
    voice: "fr",
  });
  const long = "ä".repeat(200);
  await writeFile(path, Buffer.concat([graph, encodeOnnxMetadata({ n_speakers: 2, names: long })]));
  expect(Object.fromEntries(await readOnnxMetadata(path))).toEqual({
    sample_rate: "22050",
    voice: "fr",
    n_speakers: "2",
    names: long,
  });
});

it("finds nothing in a file that is no graph", async () => {
  const path = join(await openTestFolder(), "graph.onnx");
  await writeFile(path, "<html>Entry not found</html>");
  expect((await readOnnxMetadata(path)).size).toBe(0);
});
