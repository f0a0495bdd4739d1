// Entry module of a child process that tells which execution providers come with onnxruntime besides the CPU: CoreML on
// macOS, DirectML on Windows, WebGPU. The app's own process does not load the library.

import { listSupportedBackends } from "onnxruntime-node";
import { serveTask } from "../processes/serve-task.ts";

serveTask(() =>
  listSupportedBackends()
    .filter(({ name, bundled }) => bundled && name !== "cpu")
    .map(({ name }) => name),
);
