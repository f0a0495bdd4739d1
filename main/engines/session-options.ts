// How every model of ours is run: one thread per process, since many short pieces over a pool of single-thread
// processes beat one process with many threads; without onnxruntime's arena, which keeps a quarter more memory and is
// no faster for inputs whose shapes change all the time.

import type { InferenceSession } from 'onnxruntime-node';

export const singleThread: InferenceSession.SessionOptions = {
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  executionMode: 'sequential',
  enableCpuMemArena: false,
  graphOptimizationLevel: 'all',
  logSeverityLevel: 3,
};
