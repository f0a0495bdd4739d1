// A rule of sherpa-onnx that rewrites a text byte by byte: a constant transducer of OpenFst with one state.

const int32s = (...values: readonly number[]): Buffer =>
  Buffer.from(Int32Array.from(values).buffer);
const int64s = (...values: readonly bigint[]): Buffer =>
  Buffer.from(BigInt64Array.from(values).buffer);
const text = (content: string): Buffer =>
  Buffer.concat([int32s(content.length), Buffer.from(content)]);

/** @param outputs byte that replaces a byte; 0: nothing */
export function writeFst(outputs: ReadonlyMap<number, number>): Uint8Array {
  const labels = Array.from({ length: 255 }, (_, index) => index + 1);
  return Buffer.concat([
    int32s(2_125_659_606),
    text("const"),
    text("standard"),
    // Version and flags.
    int32s(2, 0),
    // Properties (expanded), first state, number of states and arcs.
    int64s(1n, 0n, 1n, BigInt(labels.length)),
    // The state: final weight, place and number of its arcs, and how many have no input or no output.
    int32s(0, 0, labels.length, 0, [...outputs.values()].filter((byte) => byte === 0).length),
    // Input, output, weight, next state.
    ...labels.map((label) => int32s(label, outputs.get(label) ?? label, 0, 0)),
  ]);
}
