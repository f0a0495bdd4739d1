// A thread with one session of Kokoro's graph, see speech-graph.ts.

import { parentPort, workerData } from "node:worker_threads";
import { InferenceSession, Tensor } from "onnxruntime-node";
import { sessionOptions } from "../../session-options.ts";
import type { FromSpeechThread, SpeechGraphInput, SpeechThreadData } from "./speech-graph.ts";

/** See NOTES.md of the engines. */
const memoryOptions = { enableCpuMemArena: true };

const { path, threads } = workerData as SpeechThreadData;
const send = (message: FromSpeechThread): void => parentPort?.postMessage(message, []);

async function compute(session: InferenceSession, input: SpeechGraphInput): Promise<Float32Array> {
  const { phonemeIds, style, speed } = input;
  const { audio } = await session.run({
    tokens: new Tensor("int64", BigInt64Array.from(phonemeIds, BigInt), [1, phonemeIds.length]),
    style: new Tensor("float32", style, [1, style.length]),
    speed: new Tensor("float32", [speed], [1]),
  });
  if (!(audio?.data instanceof Float32Array))
    throw new TypeError("graph.onnx returned no float32 output audio");
  return audio.data;
}

const sendResult = (result: Promise<Float32Array | undefined>): Promise<void> =>
  result.then(
    (samples) => send({ samples }),
    (error: unknown) => send({ error: String(error) }),
  );

const session = InferenceSession.create(path, { ...sessionOptions(threads), ...memoryOptions });
void sendResult(session.then(() => undefined));
parentPort?.on(
  "message",
  (input: SpeechGraphInput) => void sendResult(session.then((opened) => compute(opened, input))),
);
