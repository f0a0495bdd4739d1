// A batch of windows on a graph whose attention follows the states of each window.

import { Tensor } from "onnxruntime-node";
import { expect, it, onTestFinished } from "vitest";
import { createModelFiles } from "../../../../../main/engines/model-files.ts";
import {
  createGraphs,
  type Graphs,
  type Step,
} from "../../../../../main/engines/stt/whisper/graphs.ts";
import { writeModel } from "../../../../support/model-folder.ts";
import { tinyWhisper } from "../../../../support/tiny-whisper.ts";

const melBands = 2;

/** States of one window whose frames have these values. */
const states = (...frames: number[]): Tensor =>
  new Tensor("float32", Float32Array.from(frames.flatMap((value) => [value, value])), [
    1,
    frames.length,
    melBands,
  ]);

const attentionOf = ({ attentions }: Step): number[][] => {
  const { data, dims } = attentions.get(0) as Tensor;
  const frames = dims[3] as number;
  const values = Array.from(data as Float32Array, (value) => Number(value.toFixed(3)));
  return Array.from({ length: values.length / frames }, (_, row) =>
    values.slice(row * frames, (row + 1) * frames),
  );
};

/** The graphs, until the end of the test. */
async function openGraphs(): Promise<Graphs> {
  const files = await tinyWhisper({
    melBands,
    decoderLayers: 1,
    vocabularySize: 10,
    generation: {},
    nextTokens: new Map([[3, 4]]),
  });
  const graphs = await createGraphs(
    createModelFiles(await writeModel({ family: "whisper", languages: [] }, files)),
    melBands,
  );
  onTestFinished(() => graphs.close());
  return graphs;
}

it("leaves out finished windows", async () => {
  const graphs = await openGraphs();
  const cursor = graphs.begin([states(0, 0, 9), states(9, 0, 0), states(0, 9, 0)]);
  expect(attentionOf(await graphs.step(cursor, [[1], [1], [1]], [0]))).toEqual([
    [0, 0, 1],
    [1, 0, 0],
    [0, 1, 0],
  ]);
  graphs.keepRows(cursor, [0, 2]);
  await graphs.step(cursor, [[1], [1]], [0]);
  graphs.keepRows(cursor, [1]);
  const step = await graphs.step(cursor, [[3]], [0]);
  expect(attentionOf(step)).toEqual([[0, 1, 0]]);
  expect(step.logits(0, 0).indexOf(Math.max(...step.logits(0, 0)))).toBe(4);
  graphs.free(cursor);
});
