// Makes a forked Node process look like a utility process of Electron: `process.parentPort` instead of `process.send`,
// messages are queued until the first listener. fake-electron.ts loads it before the module.

import { EventEmitter } from "node:events";

const send = process.send.bind(process);
process.send = undefined;
const port = new EventEmitter();
const early = [];
process.on("message", (data) => {
  if (port.listenerCount("message") > 0) port.emit("message", { data, ports: [] });
  else early.push(data);
});
port.on("newListener", (name) => {
  if (name === "message")
    queueMicrotask(() =>
      early.splice(0).forEach((data) => port.emit("message", { data, ports: [] })),
    );
});
process.on("disconnect", () => process.exit(0));
process.parentPort = Object.assign(port, { postMessage: (message) => send(message) });
