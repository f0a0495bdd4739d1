# Makes encoder_model_any_length.onnx from the exported encoder_model_quantized.onnx: the same weights and nodes, but
# the encoder takes any even number of feature frames instead of 3000. Its positions are cut to what there is.
#   pip install onnx==1.23.2 && python make-any-length.py encoder_model_quantized.onnx onnx/encoder_model_any_length.onnx

import sys

import numpy as np
import onnx
from onnx import helper, numpy_helper

exported_path, any_length_path = sys.argv[1:3]
model = onnx.load(exported_path)
graph = model.graph
(positions_f16,) = [tensor.name for tensor in graph.initializer if list(tensor.dims)[:1] == [1500]]
positions = next(node.output[0] for node in graph.node if list(node.input) == [positions_f16])
place, add = next((place, node) for place, node in enumerate(graph.node) if node.op_type == "Add" and positions in node.input)
convolved = next(name for name in add.input if name != positions)

# As many positions as the convolutions gave frames.
graph.initializer.append(numpy_helper.from_array(np.array([0], np.int64), "zero"))
graph.node.insert(place, helper.make_node("Shape", [convolved], ["frames"], start=1, end=2))
graph.node.insert(place + 1, helper.make_node("Slice", [positions, "zero", "frames", "zero"], ["positions"]))
add.input[list(add.input).index(positions)] = "positions"

# Where a shape says 1500 frames, 0 says as many as there are.
for tensor in graph.initializer:
    if tensor.data_type == onnx.TensorProto.INT64:
        shape = numpy_helper.to_array(tensor)
        tensor.CopyFrom(numpy_helper.from_array(np.where(shape == 1500, 0, shape), tensor.name))

graph.input[0].type.tensor_type.shape.dim[2].dim_param = "feature_frames"
graph.output[0].type.tensor_type.shape.dim[1].dim_param = "encoder_frames"
del graph.value_info[:]
onnx.checker.check_model(model)
onnx.save(model, any_length_path)
