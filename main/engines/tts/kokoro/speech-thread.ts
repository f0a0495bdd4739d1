// A thread with one session of Kokoro's graph, see speech-graph.ts.

import { parentPort, workerData } from "node:worker_threads";
import { InferenceSession, Tensor } from "onnxruntime-node";
import { freeTensors } from "../../free-tensors.ts";
import { sessionOptions } from "../../session-options.ts";
import type { FromSpeechThread, SpeechGraphInput, SpeechThreadData } from "./speech-graph.ts";

/** See NOTES.md of the engines. */
const kokoroOptions = {
  enableCpuMemArena: true,
  enableMemPattern: false,
  // Threads that wait leave their core to the other session.
  extra: { session: { intra_op: { allow_spinning: "0" } } },
};

const { path, threads } = workerData as SpeechThreadData;
const send = (message: FromSpeechThread): void => parentPort?.postMessage(message, []);

async function compute(session: InferenceSession, input: SpeechGraphInput): Promise<Tensor> {
  const { phonemeIds, style, speed } = input;
  const { audio } = await session.run({
    tokens: new Tensor("int64", BigInt64Array.from(phonemeIds, BigInt), [1, phonemeIds.length]),
    style: new Tensor("float32", style, [1, style.length]),
    speed: new Tensor("float32", [speed], [1]),
  });
  if (!(audio?.data instanceof Float32Array))
    throw new TypeError("graph.onnx returned no float32 output audio");
  return audio;
}

async function sendResult(result: Promise<Tensor | undefined>): Promise<void> {
  try {
    const audio = await result;
    send({ samples: audio?.data as Float32Array | undefined });
    if (audio !== undefined) freeTensors([audio]);
  } catch (error) {
    send({ error: String(error) });
  }
}

const session = InferenceSession.create(path, { ...sessionOptions(threads), ...kokoroOptions });
void sendResult(session.then(() => undefined));
parentPort?.on(
  "message",
  (input: SpeechGraphInput) => void sendResult(session.then((opened) => compute(opened, input))),
);
