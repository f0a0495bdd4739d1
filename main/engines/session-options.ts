// How every model of ours is run: one thread per process, since many short pieces over a pool of single-thread
// processes beat one process with many threads; without onnxruntime's arena, which keeps a quarter more memory and is
// no faster for inputs whose shapes change all the time.

import { InferenceSession } from "onnxruntime-node";

export const singleThreadOptions: InferenceSession.SessionOptions = {
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  executionMode: "sequential",
  enableCpuMemArena: false,
  graphOptimizationLevel: "all",
  logSeverityLevel: 3,
};

/** Opens a large model and gives its file's bytes back at once, which onnxruntime has copied: left alone they may lie about for minutes. */
export async function openSession(bytes: Uint8Array): Promise<InferenceSession> {
  const session = await InferenceSession.create(bytes, singleThreadOptions);
  const { buffer } = bytes;
  if (buffer instanceof ArrayBuffer && bytes.byteLength === buffer.byteLength) buffer.transfer(0);
  return session;
}
