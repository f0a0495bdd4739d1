import { Tensor } from "onnxruntime-node";
import { expect, it } from "vitest";
import { freeTensors } from "../../../main/engines/free-tensors.ts";

it("frees the memory of tensors", () => {
  const [freed, kept] = [new Float32Array(1000), new Float32Array(1000)];
  freeTensors([new Tensor("float32", freed, [1000])]);
  expect([freed.byteLength, kept.byteLength]).toEqual([0, 4000]);
});
