// Weights that a graph keeps in files beside it, because a file of its own format holds 2 GB at most.

/** `x.onnx_data`, `x.onnx_data_1`, `x.onnx.data` or `x.weights` of `x.onnx`. */
export const isExternalDataOf = (fileName: string, graph: string): boolean =>
  graph.endsWith(".onnx") &&
  (fileName.startsWith(`${graph}_data`) ||
    fileName === `${graph}.data` ||
    fileName === graph.replace(/onnx$/, "weights"));
