// What a start runs: Electron if installed, otherwise the browser, and neither if only the gateway is requested.
// Electron is a stand-in that prints its arguments and environment.

import { once } from "node:events";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { desktopFolder } from "../../build/staged-desktop.ts";
import {
  waitUntilExited,
  waitForExit,
  processTree,
  waitForResult,
  run,
  start,
  waitUntil,
} from "../support/command-line.ts";
import { createFakeDistribution } from "../support/fake-electron-distribution.ts";
import { openFolder } from "../support/test-data.ts";

const folder = await openFolder();
const dataDir = join(folder.path, "data é ש 日本");
const electronDir = join(folder.path, "electron é ש 日本");
const missing = join(folder.path, "none");
const hasSignals = process.platform !== "win32";
const withElectron = { ELECTRON_OVERRIDE_DIST_PATH: electronDir, DISPLAY: ":0" };

beforeAll(() =>
  createFakeDistribution(
    electronDir,
    `for each in "$@"; do echo "given: $each"; done
echo "port: $HEARSAY_PORT, key: $HEARSAY_API_KEY, data: $HEARSAY_DATA_DIR, as node: $ELECTRON_RUN_AS_NODE"
if [ "$HEARSAY_WORKERS" = 3 ]; then kill -TRAP $$; fi
if [ "$HEARSAY_WORKERS" = 2 ]; then trap 'echo "received SIGTERM"; exit 5' TERM; echo waiting; while :; do sleep 0.05; done; fi
exit 7`,
  ),
);
afterAll(() => folder.remove());

/** Output of a start up to the window's link, or all output if the process ends before. */
async function outputWithLink(child: ReturnType<typeof start>): Promise<string> {
  let output = "";
  child.stdout?.on("data", (text: Buffer) => (output += text.toString()));
  await waitUntil(() => /window"[^]*\n {2}http/.test(output) || child.exitCode !== null);
  return output;
}

describe.skipIf(!hasSignals)("with Electron (a stand-in that only a POSIX shell can run)", () => {
  it("runs the staged app in it, with the settings, and exits with its exit code", async () => {
    const { code, stdout } = await run(
      ["serve", "--port", "5151", "--api-key", "hs-one two", "talk.mp3"],
      { dataDir, cwd: folder.path, env: { ...withElectron, ELECTRON_RUN_AS_NODE: "1" } },
    );
    expect(stdout).toBe(
      `given: ${desktopFolder.dir}\ngiven: ${join(folder.path, "talk.mp3")}\nport: 5151, key: hs-one two, data: ${dataDir}, as node: \n`,
    );
    expect(code).toBe(7);
  });

  it("forwards a signal to stop", async () => {
    const child = start(["serve", "--window"], {
      dataDir,
      env: { ...withElectron, HEARSAY_WORKERS: "2" },
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    const outcome = waitForResult(child);
    let output = "";
    child.stdout?.on("data", (text: Buffer) => (output += text.toString()));
    await waitUntil(() => output.includes("waiting") || child.exitCode !== null);
    const all = processTree(child.pid ?? 0);
    child.kill("SIGTERM");
    expect((await outcome).stdout).toContain("received SIGTERM");
    expect((await outcome).code).toBe(5);
    await waitUntilExited(all);
  });

  it("falls back to the browser when it crashes at its start, and fails when only the desktop was requested", async () => {
    const env = { ...withElectron, HEARSAY_WORKERS: "3", HEARSAY_PORT: "0" };
    expect((await run(["serve", "--window"], { dataDir, env })).code).toBe(133);
    const child = start(["serve"], { dataDir, env });
    const outcome = waitForResult(child);
    await outputWithLink(child);
    child.kill("SIGTERM");
    expect((await outcome).stdout).toContain(
      "The window opens in the browser: Electron exited while starting; see its output above.",
    );
  });

  it("is not used when the browser is requested", async () => {
    const child = start(["serve", "--browser"], {
      dataDir,
      env: { ...withElectron, HEARSAY_PORT: "0" },
    });
    const outcome = waitForResult(child);
    await outputWithLink(child);
    child.kill("SIGTERM");
    expect((await outcome).stdout).toContain("The window opens in the browser: as requested.");
  });

  it("is not used when only the gateway is requested", async () => {
    const child = start(["serve", "--headless"], {
      dataDir,
      env: { ...withElectron, HEARSAY_PORT: "0" },
    });
    const outcome = waitForResult(child);
    await once(child.stdout ?? child, "data");
    child.kill("SIGTERM");
    const { stdout } = await outcome;
    expect(stdout).toContain("Hearsay is listening.");
    expect(stdout).not.toMatch(/given|window/);
  });
});

describe("without Electron", () => {
  it.skipIf(!hasSignals)(
    "gives the reason in one line, serves the window to the browser and opens the files there",
    async () => {
      const child = start(["serve", "talk.mp3"], {
        cwd: folder.path,
        dataDir,
        env: { ELECTRON_OVERRIDE_DIST_PATH: missing, HEARSAY_PORT: "0" },
      });
      onTestFinished(async () => {
        child.kill("SIGTERM");
        await waitForExit(child);
      });
      let warned = "";
      child.stderr?.on("data", (text: Buffer) => (warned += text.toString()));
      const output = await outputWithLink(child);
      expect(output).toContain(
        `\nThe window opens in the browser: there is no Electron in ${missing}.\n`,
      );
      const address =
        /^ {2}(http:\S+)$/m.exec(output.slice(output.indexOf("The window")))?.[1] ?? "";
      expect((await fetch(address, { redirect: "manual" })).status).toBe(303);
      // The file does not exist, so this error shows that opening it was tried.
      await waitUntil(() =>
        warned.includes("hearsay: talk.mp3: The file 'talk.mp3' cannot be read"),
      );
    },
  );

  it("fails when only the desktop was requested", async () => {
    const { code, stdout, stderr } = await run(["serve", "--window"], {
      dataDir,
      env: { ELECTRON_OVERRIDE_DIST_PATH: missing },
    });
    expect([code, stdout, stderr]).toEqual([
      1,
      "",
      `hearsay: the desktop window cannot be opened: there is no Electron in ${missing}\n`,
    ]);
  });

  it("refuses --window together with --headless", async () => {
    const { code, stderr } = await run(["serve", "--window", "--headless"], { dataDir });
    expect(code).toBe(2);
    expect(stderr).toContain("use only one of --headless");
  });

  it("refuses files when there is no window to show them, and names the command to use", async () => {
    const { code, stderr } = await run(["serve", "--headless", "talk.mp3"], { dataDir });
    expect(code).toBe(2);
    expect(stderr).toContain('--headless takes no files: use "npx hearsay transcribe FILE"');
  });
});
