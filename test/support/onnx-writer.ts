// Writes ONNX graphs: tiny models of the layout of real ones, and large ones of any size. Only what such graphs need of
// https://github.com/onnx/onnx/blob/main/onnx/onnx.proto.

type Bytes = Uint8Array<ArrayBufferLike>;

function varint(value: number | bigint): Buffer {
  let rest = BigInt.asUintN(64, BigInt(value));
  const bytes: number[] = [];
  do {
    const low = Number(rest & 127n);
    rest >>= 7n;
    bytes.push(rest === 0n ? low : low | 128);
  } while (rest !== 0n);
  return Buffer.from(bytes);
}

const intField = (number: number, value: number | bigint): Buffer =>
  Buffer.concat([varint(number << 3), varint(value)]);
function bytesField(number: number, value: Bytes | string): Buffer {
  const bytes = typeof value === "string" ? Buffer.from(value) : value;
  return Buffer.concat([varint((number << 3) | 2), varint(bytes.length), bytes]);
}
function floatField(number: number, value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return Buffer.concat([varint((number << 3) | 5), bytes]);
}

/** Element types by their number in TensorProto.DataType. */
const elementTypes = {
  float: 1,
  uint8: 2,
  int8: 3,
  int32: 6,
  int64: 7,
  string: 8,
  bool: 9,
} as const;
export type ElementType = keyof typeof elementTypes;

export type OnnxTensor = {
  dims: readonly number[];
  data: Float32Array | BigInt64Array | Int32Array | Int8Array | Uint8Array;
  type?: ElementType;
};

export const floats = (dims: readonly number[], values: ArrayLike<number>): OnnxTensor => ({
  dims,
  data: Float32Array.from(values),
});
export const int64s = (
  dims: readonly number[],
  values: readonly (number | bigint)[],
): OnnxTensor => ({
  dims,
  data: BigInt64Array.from(values, BigInt),
});

function elementTypeOf({ data, type }: OnnxTensor): ElementType {
  if (type !== undefined) return type;
  if (data instanceof Float32Array) return "float";
  if (data instanceof BigInt64Array) return "int64";
  if (data instanceof Int32Array) return "int32";
  return data instanceof Int8Array ? "int8" : "uint8";
}

const tensorProto = (name: string, tensor: OnnxTensor): Buffer =>
  Buffer.concat([
    ...tensor.dims.map((dim) => intField(1, dim)),
    intField(2, elementTypes[elementTypeOf(tensor)]),
    bytesField(8, name),
    bytesField(
      9,
      new Uint8Array(tensor.data.buffer, tensor.data.byteOffset, tensor.data.byteLength),
    ),
  ]);

/** Whole numbers are attributes of type INT; `{ float }` is one of type FLOAT. */
export type OnnxAttribute =
  | number
  | string
  | readonly number[]
  | { float: number }
  | { floats: readonly number[] }
  | { tensor: OnnxTensor }
  | { graph: OnnxGraph };

function attributeProto(name: string, value: OnnxAttribute): Buffer {
  const [type, ...fields] = ((): [number, ...Buffer[]] => {
    if (typeof value === "number") return [2, intField(3, value)];
    if (typeof value === "string") return [3, bytesField(4, value)];
    if ("float" in value) return [1, floatField(2, value.float)];
    if ("floats" in value) return [6, ...value.floats.map((each) => floatField(7, each))];
    if ("tensor" in value) return [4, bytesField(5, tensorProto("", value.tensor))];
    if ("graph" in value) return [5, bytesField(6, graphProto(value.graph))];
    return [7, ...value.map((each) => intField(8, each))];
  })();
  return Buffer.concat([bytesField(1, name), ...fields, intField(20, type)]);
}

export type OnnxNode = {
  op: string;
  inputs: readonly string[];
  outputs: readonly string[];
  attributes?: Readonly<Record<string, OnnxAttribute>>;
  domain?: string;
};

const nodeProto = ({ op, inputs, outputs, attributes = {}, domain = "" }: OnnxNode): Buffer =>
  Buffer.concat([
    ...inputs.map((name) => bytesField(1, name)),
    ...outputs.map((name) => bytesField(2, name)),
    bytesField(4, op),
    ...Object.entries(attributes).map(([name, value]) =>
      bytesField(5, attributeProto(name, value)),
    ),
    ...(domain === "" ? [] : [bytesField(7, domain)]),
  ]);

/** An input or output: its type and its dimensions, those with a name being dynamic. */
export type OnnxValue = readonly [type: ElementType, dims: readonly (number | string)[]];

const valueProto = (name: string, [type, dims]: OnnxValue): Buffer => {
  const shape = Buffer.concat(
    dims.map((dim) =>
      bytesField(1, typeof dim === "number" ? intField(1, dim) : bytesField(2, dim)),
    ),
  );
  const tensorType = Buffer.concat([intField(1, elementTypes[type]), bytesField(2, shape)]);
  return Buffer.concat([bytesField(1, name), bytesField(2, bytesField(1, tensorType))]);
};

export type OnnxGraph = {
  inputs: Readonly<Record<string, OnnxValue>>;
  outputs: Readonly<Record<string, OnnxValue>>;
  nodes: readonly OnnxNode[];
  initializers?: Readonly<Record<string, OnnxTensor>>;
};

const graphProto = ({ inputs, outputs, nodes, initializers = {} }: OnnxGraph): Buffer =>
  Buffer.concat([
    ...nodes.map((node) => bytesField(1, nodeProto(node))),
    bytesField(2, "graph"),
    ...Object.entries(initializers).map(([name, tensor]) =>
      bytesField(5, tensorProto(name, tensor)),
    ),
    ...Object.entries(inputs).map(([name, value]) => bytesField(11, valueProto(name, value))),
    ...Object.entries(outputs).map(([name, value]) => bytesField(12, valueProto(name, value))),
  ]);

export type OnnxModel = OnnxGraph & {
  /** Properties that loaders read, such as the sample rate. */
  metadata?: Readonly<Record<string, string | number>>;
  /** Version of the standard operators. */
  opset?: number;
};

/** The bytes of an `.onnx` file. */
export const writeOnnx = ({ metadata = {}, opset = 17, ...graph }: OnnxModel): Buffer =>
  Buffer.concat([
    intField(1, 8),
    bytesField(7, graphProto(graph)),
    bytesField(8, Buffer.concat([bytesField(1, ""), intField(2, opset)])),
    bytesField(8, Buffer.concat([bytesField(1, "com.microsoft"), intField(2, 1)])),
    ...Object.entries(metadata).map(([key, value]) =>
      bytesField(14, Buffer.concat([bytesField(1, key), bytesField(2, String(value))])),
    ),
  ]);
