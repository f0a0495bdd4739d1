// Options for all models. Small ones get one thread: many short segments run faster on several single-thread processes
// than on one process with many threads. Input shapes change all the time, so there is no onnxruntime arena, which
// would keep a quarter more memory and be no faster, and no memory patterns, of which it would keep one for each shape.

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
  enableMemPattern: false,
  graphOptimizationLevel: "all",
  logSeverityLevel: 3,
});

export const singleThreadOptions = sessionOptions(1);
