// Frees outputs of a graph at once. Their memory is onnxruntime's: a small JavaScript heap is collected too rarely for
// it.

import type { Tensor } from "onnxruntime-node";

/** They cannot be read any more. */
export function freeTensors(tensors: readonly Tensor[]): void {
  for (const { data } of tensors) ((data as Float32Array).buffer as ArrayBuffer).transfer(0);
}
