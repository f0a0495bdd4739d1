// Child processes over Electron's utility processes. The fake starts real processes.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { isAlive, scriptedModule } from "../../support/app.ts";
import { waitUntil } from "../../support/command-line.ts";
import { app, UtilityProcess } from "../../support/fake-electron.ts";
import { openTestFolder } from "../../support/test-data.ts";
import { createDesktopPlatform } from "../../../main/electron/desktop-platform.ts";
import { countCrashReports } from "../../../main/electron/crash-reports.ts";
import type { ChildPort } from "../../../main/platform.ts";

beforeAll(() => app.whenReady());

const launch = async (modulePath: string): Promise<ChildPort> =>
  createDesktopPlatform({ dataDir: join(await openTestFolder(), "data") }).launchChild(modulePath);
async function moduleOf(code: string): Promise<string> {
  const path = join(await openTestFolder(), "child.mjs");
  writeFileSync(path, code);
  return path;
}
const exitOf = (port: ChildPort): Promise<string> => new Promise((resolve) => port.onExit(resolve));

it("sends messages in both directions, including typed arrays and messages sent before the child started", async () => {
  const port = await launch(
    await moduleOf(
      `process.parentPort.on('message', ({ data }) => process.parentPort.postMessage({ back: data.samples.map((value) => value * 2) }));`,
    ),
  );
  const answer = new Promise((received) => port.onMessage(received));
  port.send({ samples: Float32Array.of(0.25, 0.5) });
  expect(await answer).toEqual({ back: Float32Array.of(0.5, 1) });
  port.kill();
  await exitOf(port);
});

it("runs the engine process with the same protocol, and ends it on request", async () => {
  const port = await launch(scriptedModule);
  const messages: unknown[] = [];
  port.onMessage((message) => messages.push(message));
  await waitUntil(() => messages.length > 0);
  expect(messages).toEqual([{ type: "ready" }]);
  expect(isAlive(port.pid as number)).toBe(true);
  port.send({ type: "close" });
  expect(await exitOf(port)).toBe("exited with code 0");
});

it("ends a killed child process at once, even if it hangs", async () => {
  const port = await launch(
    await moduleOf(
      `process.on('SIGTERM', () => {}); process.parentPort.postMessage('stuck'); for (;;);`,
    ),
  );
  await new Promise((received) => port.onMessage(received));
  const pid = port.pid as number;
  port.kill();
  await exitOf(port);
  expect([isAlive(pid), port.pid]).toEqual([false, undefined]);
});

it("does not run a child process that was killed before its start", async () => {
  const port = await launch(await moduleOf("setInterval(() => {}, 1000);"));
  port.kill();
  await exitOf(port);
  expect(UtilityProcess.all.size).toBe(0);
});

it("keeps the last output of a child process for the error", async () => {
  const port = await launch(
    await moduleOf(
      `process.stderr.write('x'.repeat(10_000) + 'the end'); process.exitCode = 3;  process.parentPort.removeAllListeners(); process.disconnect();`,
    ),
  );
  expect(await exitOf(port)).toMatch(/^exited with code/);
  await waitUntil(() => port.stderrTail().endsWith("the end"));
  expect(port.stderrTail().length).toBe(4096);
});

it("does not pass its environment on to child processes", async () => {
  process.env["HEARSAY_API_KEY"] = "secret";
  const port = await launch(
    await moduleOf(`process.parentPort.postMessage(Object.keys(process.env));`),
  );
  const names = await new Promise((received) => port.onMessage(received));
  delete process.env["HEARSAY_API_KEY"];
  expect(names).not.toContain("HEARSAY_API_KEY");
  expect(names).toContain("ORT_DISABLE_TELEMETRY");
  port.kill();
  await exitOf(port);
});

it("counts crash reports in each of Crashpad's folders", async () => {
  const folder = await openTestFolder();
  expect(countCrashReports(join(folder, "none"))).toBe(0);
  for (const name of ["pending", "completed"]) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, `${name}.dmp`), "");
    writeFileSync(join(folder, name, `${name}.meta`), "");
  }
  expect(countCrashReports(folder)).toBe(2);
});
