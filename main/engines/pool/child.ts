// Entry module of the child processes that decode and encode media and run models with onnxruntime-node. Untrusted
// media, inference and encoding are handled only in child processes, never in the server process.

import { serveTasks } from "./serve-tasks.ts";
import { createTaskHandlers } from "./task-handlers.ts";

serveTasks(createTaskHandlers);
