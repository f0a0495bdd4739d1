// Options for all models. Small ones get one thread: many short segments run faster on several single-thread processes
// than on one process with many threads. No onnxruntime arena: it keeps a quarter more memory and is no faster when
// input shapes change all the time.

import type { InferenceSession } from "onnxruntime-node";

export const sessionOptions = (
  threads: number,
  provider = "cpu",
): InferenceSession.SessionOptions => ({
  // The CPU runs what another provider cannot.
  executionProviders: provider === "cpu" ? ["cpu"] : [provider, "cpu"],
  intraOpNumThreads: threads,
  interOpNumThreads: 1,
  executionMode: "sequential",
  enableCpuMemArena: false,
  graphOptimizationLevel: "all",
  logSeverityLevel: 3,
});

export const singleThreadOptions = sessionOptions(1);
