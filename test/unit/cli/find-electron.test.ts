import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { findElectron } from "../../../main/cli/find-electron.ts";

const remedy = "npx --no install-electron";
const screen = { DISPLAY: ":0" };

/** Creates a folder with the given files, in which Electron's program is executable. */
function folderOf(files: Record<string, string>): string {
  const dir = mkdtempSync(join(tmpdir(), "hearsay-electron-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), content, { mode: 0o755 });
  }
  return dir;
}

const packaged = (dist: Record<string, string>) =>
  folderOf({
    "package.json": '{"version":"45.0.1"}',
    ...Object.fromEntries(Object.entries(dist).map(([name, content]) => [`dist/${name}`, content])),
  });

describe("Electron", () => {
  it("is available when its program has the expected version and there is a display", () => {
    const packageDir = packaged({ version: "v45.0.1\n", electron: "" });
    expect(findElectron({ packageDir, env: screen, system: "linux" })).toEqual({
      isAvailable: true,
      path: join(packageDir, "dist", "electron"),
    });
    expect(
      findElectron({ packageDir, env: { WAYLAND_DISPLAY: "wayland-0" }, system: "linux" }),
    ).toMatchObject({ isAvailable: true });
  });

  it("has a different program name on each system, and needs a display only on Linux", () => {
    const packageDir = packaged({
      version: "45.0.1",
      "electron.exe": "",
      "Electron.app/Contents/MacOS/Electron": "",
    });
    expect(findElectron({ packageDir, env: {}, system: "win32" })).toEqual({
      isAvailable: true,
      path: join(packageDir, "dist", "electron.exe"),
    });
    expect(findElectron({ packageDir, env: {}, system: "darwin" })).toEqual({
      isAvailable: true,
      path: join(packageDir, "dist", "Electron.app", "Contents", "MacOS", "Electron"),
    });
    expect(findElectron({ packageDir, env: screen, system: "linux" })).toMatchObject({
      isAvailable: false,
    });
  });

  it("can be downloaded with one command when it is missing, incomplete or of another version", () => {
    expect(findElectron({ packageDir: packaged({}), env: screen, system: "linux" })).toEqual({
      isAvailable: false,
      reason: "the program of Electron 45.0.1 was not downloaded",
      remedy,
    });
    expect(
      findElectron({ packageDir: packaged({ electron: "" }), env: screen, system: "linux" }),
    ).toEqual({
      isAvailable: false,
      reason: "Electron 45.0.1 is required, but an incomplete download is installed",
      remedy,
    });
    expect(
      findElectron({
        packageDir: packaged({ electron: "", version: "44.9.9" }),
        env: screen,
        system: "linux",
      }),
    ).toEqual({
      isAvailable: false,
      reason: "Electron 45.0.1 is required, but 44.9.9 is installed",
      remedy,
    });
    expect(findElectron({ packageDir: undefined })).toEqual({
      isAvailable: false,
      reason: "Electron's package is not installed",
      remedy: "npm install",
    });
  });

  it("is unavailable without a remedy when there is no display or the program is not executable", () => {
    const packageDir = packaged({ version: "45.0.1", electron: "" });
    expect(findElectron({ packageDir, env: { DISPLAY: "" }, system: "linux" })).toEqual({
      isAvailable: false,
      reason: "there is no screen to open a window on",
    });
    chmodSync(join(packageDir, "dist", "electron"), 0o644);
    expect(findElectron({ packageDir, env: screen, system: "linux" })).toEqual({
      isAvailable: false,
      reason: `${join(packageDir, "dist", "electron")} may not be run`,
    });
  });

  it("is searched for in ELECTRON_OVERRIDE_DIST_PATH", () => {
    const packageDir = packaged({ version: "45.0.1", electron: "" });
    const own = folderOf({ version: "45.0.1", electron: "" });
    expect(
      findElectron({
        packageDir,
        env: { ...screen, ELECTRON_OVERRIDE_DIST_PATH: own },
        system: "linux",
      }),
    ).toEqual({ isAvailable: true, path: join(own, "electron") });
    expect(
      findElectron({
        packageDir,
        env: { ...screen, ELECTRON_OVERRIDE_DIST_PATH: "/nowhere" },
        system: "linux",
      }),
    ).toEqual({ isAvailable: false, reason: "there is no Electron in /nowhere" });
  });

  it("is found in this project without a download", () => {
    expect(findElectron({ env: {}, system: "linux" }).isAvailable).toBe(false);
  });
});
