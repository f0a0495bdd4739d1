import { spawn } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { shellEnv, waitUntil } from "../support/command-line.ts";
import { openTestFolder } from "../support/test-data.ts";

const mainModule = resolve(import.meta.dirname, "..", "..", "main", "cli", "main.ts");
/** Code loaded before the app: an IPC message makes it cause an unhandled rejection. */
const mistake =
  "process.on('message', (message) => { if (message === 'reject') Promise.reject(new Error('left alone with sk-1234567890')); })";

it("an unhandled rejection is logged without secrets, and the app continues", async () => {
  const env = shellEnv(join(await openTestFolder(), "data"), {
    HEARSAY_PORT: "0",
    HEARSAY_API_KEY: "hs-a-key-of-the-test",
  });
  const child = spawn(
    process.execPath,
    [
      "--import",
      `data:text/javascript,${encodeURIComponent(mistake)}`,
      mainModule,
      "serve",
      "--headless",
    ],
    { env, stdio: ["ignore", "pipe", "pipe", "ipc"] },
  );
  const exited = once(child, "exit");
  onTestFinished(async () => {
    if (child.connected) child.disconnect();
    await exited;
  });
  let [printed, logged] = ["", ""];
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (printed += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (logged += text));
  await waitUntil(() => /Base URL\s+\S+/.test(printed));
  child.send("reject");
  await waitUntil(() => logged.includes("nobody handled it"));
  expect(logged).toContain("left alone with [secret]");
  expect((await fetch(new URL("/health", /Base URL\s+(\S+)/.exec(printed)?.[1]))).status).toBe(200);
});
