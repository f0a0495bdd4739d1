// Options for all models. One thread per process: many short segments run faster on several single-thread processes
// than on one process with many threads. No onnxruntime arena: it keeps a quarter more memory and is no faster when
// input shapes change all the time.

import { InferenceSession } from "onnxruntime-node";

export const singleThreadOptions: InferenceSession.SessionOptions = {
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  executionMode: "sequential",
  enableCpuMemArena: false,
  graphOptimizationLevel: "all",
  logSeverityLevel: 3,
};

/**
 * Opens a large model and frees its file's bytes at once, since onnxruntime has copied them. Garbage collection alone
 * may take minutes.
 */
export async function openSession(bytes: Uint8Array): Promise<InferenceSession> {
  const session = await InferenceSession.create(bytes, singleThreadOptions);
  const { buffer } = bytes;
  if (buffer instanceof ArrayBuffer && bytes.byteLength === buffer.byteLength) buffer.transfer(0);
  return session;
}
