import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { hasScreen, openBrowser } from "../../../main/cli/open-browser.ts";
import { openTestFolder } from "../../support/test-data.ts";

it.each([
  ["linux", { DISPLAY: ":0" }],
  ["linux", { WAYLAND_DISPLAY: "wayland-0" }],
  ["darwin", {}],
  ["win32", {}],
] as const)("opens a browser on %s with %j", (system, env) => {
  expect(hasScreen(env, system, true)).toBe(true);
});

it.each([
  ["linux", {}],
  ["linux", { DISPLAY: "" }],
  ["linux", { DISPLAY: ":0", CI: "true" }],
  ["darwin", { SSH_CONNECTION: "10.0.0.1 5 10.0.0.2 22" }],
] as const)("opens no browser on %s with %j", (system, env) => {
  expect(hasScreen(env, system, true)).toBe(false);
});

it("opens no browser when the output goes to a file or another program", () => {
  expect(hasScreen({}, "darwin", false)).toBe(false);
});

describe("the file that opens the browser", () => {
  const url = "http://127.0.0.1:5/secret/launch?code=one-time";

  async function opened(lifetimeMs = 3_600_000): Promise<{
    dataDir: string;
    path: string;
    started: (string | readonly string[])[];
    remove(): void;
  }> {
    const dataDir = await openTestFolder();
    const started: (string | readonly string[])[] = [];
    // A system whose browsers can read every folder.
    const remove = openBrowser(url, {
      dataDir,
      system: "darwin",
      start: (...command) => void started.push(...command),
      lifetimeMs,
    });
    const path = String(started[1]?.[0]);
    return { dataDir, path, started, remove };
  }

  it("redirects to the link, which appears in no command-line argument", async () => {
    const { dataDir, path, started } = await opened();
    expect(JSON.stringify(started)).not.toContain("one-time");
    expect(started).toEqual(["open", [join(dataDir, basename(path))]]);
    expect(await readFile(path, "utf8")).toContain(`content="0; url=${url}"`);
  });

  it.skipIf(process.platform === "win32")("is readable only by its owner", async () => {
    expect((await stat((await opened()).path)).mode & 0o777).toBe(0o600);
  });

  it("is removed soon, at the end, and at the next start", async () => {
    const { dataDir: emptied } = await opened(1);
    await expect.poll(() => readdir(emptied)).toEqual([]);
    const { dataDir, path, remove } = await opened();
    await writeFile(join(dataDir, "mine.html"), "");
    openBrowser(url, { dataDir, system: "darwin", start: () => {}, lifetimeMs: 3_600_000 });
    expect(await readdir(dataDir)).not.toContain(basename(path));
    expect(await readdir(dataDir)).toHaveLength(2);
    remove();
  });

  it("is missing where it cannot be written, and no browser is opened", () => {
    const started: string[] = [];
    openBrowser(url, {
      dataDir: "/nothing/here",
      system: "darwin",
      start: (command) => void started.push(command),
    })();
    expect(started).toEqual([]);
  });
});
