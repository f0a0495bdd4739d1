# Makes silero_vad_v6_sequence.onnx from the original silero_vad_v6.onnx: the same 16 kHz model with the same float32
# weights, as a graph that takes many frames at once. The interface is in README.md.
#   pip install onnx==1.23.2 && python make-sequence-graph.py path/to/silero_vad_v6.onnx silero_vad_v6_sequence.onnx
# Every column of every layer is one product over all frames, since convolutions over four columns are slow one frame
# at a time; only the LSTM goes through the frames in order.

import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

original_path, sequence_path = sys.argv[1:3]
original = onnx.load(original_path).graph
# The original asks `sr == 16000` first; its weights are constants in the branches.
branch = next(a.g for node in original.node if node.op_type == "If" for a in node.attribute if a.name == "then_branch")
weights = {
    node.output[0].split("Inline_0__")[-1]: numpy_helper.to_array(node.attribute[0].t)
    for node in branch.node
    if node.op_type == "Constant"
}

nodes, initializers = [], []


def constant(values):
    name = f"constant_{len(initializers)}"
    initializers.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
    return name


def apply(operator, *inputs, output=None, **attributes):
    output = output or f"{operator}_{len(nodes)}"
    nodes.append(helper.make_node(operator, list(inputs), [output], **attributes))
    return output


def ints(*values):
    return constant(np.array(values, np.int64))


def part(tensor, axis, start, end):
    return apply("Slice", tensor, ints(start), ints(end), ints(axis))


def convolution(layer, columns, stride):
    """Columns [steps, channels] in time order -> columns of a convolution of width 3, padded with a zero at both ends."""
    kernel = weights[f"encoder.{layer}.reparam_conv.weight"]  # [out, in, 3]
    channels = kernel.shape[1]
    bias = constant(weights[f"encoder.{layer}.reparam_conv.bias"])
    # Taps that only ever meet the padding are left out; the others lie one below the other, one row per input.
    used = [tap for tap in range(3) if any(0 <= at + tap - 1 < len(columns) for at in range(0, len(columns), stride))]
    matrix = constant(np.concatenate([kernel[:, :, tap].T for tap in used]))
    outputs = []
    for at in range(0, len(columns), stride):
        taps = [tap for tap in used if 0 <= at + tap - 1 < len(columns)]
        seen = [columns[at + tap - 1] for tap in taps]
        window = seen[0] if len(seen) == 1 else apply("Concat", *seen, axis=1)
        start = used.index(taps[0]) * channels
        rows = matrix if taps == used else part(matrix, 0, start, start + len(taps) * channels)
        outputs.append(apply("Relu", apply("Gemm", window, rows, bias)))
    return outputs


# Short-time spectrum: 4 columns of 256 samples, 128 apart, of 576 samples and 64 mirrored ones.
mirrored = apply("Pad", "frames", ints(0, 0, 0, 64), mode="reflect")
basis = constant(weights["stft.forward_basis_buffer"][:, 0, :].T)  # [256, 129 real parts and 129 imaginary ones]
magnitudes = []
for column in range(4):
    spectrum = apply("MatMul", part(mirrored, 1, 128 * column, 128 * column + 256), basis)
    real, imaginary = part(spectrum, 1, 0, 129), part(spectrum, 1, 129, 258)
    magnitudes.append(apply("Sqrt", apply("Add", apply("Mul", real, real), apply("Mul", imaginary, imaginary))))

columns = magnitudes
for layer, stride in enumerate([1, 2, 2, 1]):
    columns = convolution(layer, columns, stride)
(features,) = columns


def gates(name):
    """PyTorch keeps the gates as input, forget, cell, output; ONNX wants input, output, forget, cell."""
    gate_in, forget, cell, gate_out = np.split(weights[f"decoder.rnn.{name}"], 4)
    return np.concatenate([gate_in, gate_out, forget, cell])


nodes.append(
    helper.make_node(
        "LSTM",
        [
            apply("Unsqueeze", features, ints(1)),
            constant(gates("weight_ih")[None]),
            constant(gates("weight_hh")[None]),
            constant(np.concatenate([gates("bias_ih"), gates("bias_hh")])[None]),
            "",
            part("state", 0, 0, 1),
            part("state", 0, 1, 2),
        ],
        ["hidden", "last_hidden", "last_cell"],
        hidden_size=128,
    )
)
apply("Concat", "last_hidden", "last_cell", output="stateN", axis=0)

head = constant(weights["decoder.decoder.2.weight"].reshape(128, 1))
hidden = apply("Relu", apply("Reshape", "hidden", ints(-1, 128)))
voice = apply("Sigmoid", apply("Gemm", hidden, head, constant(weights["decoder.decoder.2.bias"])))
apply("Reshape", voice, ints(-1), output="probabilities")


def floats(name, shape):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


graph = helper.make_graph(
    nodes,
    "silero_vad_v6_sequence",
    [floats("frames", ["steps", 576]), floats("state", [2, 1, 128])],
    [floats("probabilities", ["steps"]), floats("stateN", [2, 1, 128])],
    initializers,
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 16)], ir_version=8)
onnx.checker.check_model(model, full_check=True)
onnx.save(model, sequence_path)
