import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openTestFolder } from "../../support/test-data.ts";
import { dictationCommand } from "../../../main/electron/launch-command.ts";
import { readStart } from "../../../main/electron/start-arguments.ts";

const surroundings = {
  appPath: "/opt/Hearsay/resources/app.asar",
  cwd: "/home/someone",
  env: { XDG_DATA_HOME: "/data" },
};
const start = (...args: string[]) => readStart(args, surroundings);

it("requests only the window when started without arguments", () => {
  const { settings, request } = start();
  expect(request).toEqual({ paths: [], dictates: false, isHidden: false });
  expect(settings).toMatchObject({ dataDir: expect.stringMatching(/[Hh]earsay$/) as unknown });
});

it("resolves files against the working directory", () => {
  expect(start("a b.mp3", "/tmp/é.wav").request.paths).toEqual([
    "/home/someone/a b.mp3",
    "/tmp/é.wav",
  ]);
});

it("accepts files as URLs", () => {
  expect(start("file:///tmp/a%20b.mp3", "file://elsewhere/a.mp3").request.paths).toEqual([
    "/tmp/a b.mp3",
    "/home/someone/file:/elsewhere/a.mp3",
  ]);
});

it("quotes the dictation command for a shell", () => {
  const app = { isPackaged: true, getAppPath: () => "/opt/app.asar" };
  expect(dictationCommand(app, { execPath: "/opt/Hearsay/hearsay", env: {} })).toBe(
    "/opt/Hearsay/hearsay --dictate",
  );
  expect(
    dictationCommand(app, {
      execPath: "/tmp/.mount/hearsay",
      env: { APPIMAGE: "/home/a b/$x.AppImage" },
    }),
  ).toBe(String.raw`"/home/a b/\$x.AppImage" --dictate`);
  expect(
    dictationCommand(
      { ...app, isPackaged: false, getAppPath: () => "/src/dist/desktop" },
      { execPath: "/electron", env: {} },
    ),
  ).toBe("/electron /src/dist/desktop --dictate");
});

it("finds its own arguments among the switches of Electron and the system", () => {
  const { settings, request } = start(
    "--inspect=0",
    "--remote-debugging-port=0",
    "--no-sandbox",
    "--hidden",
    "--dictate",
    "--port",
    "0",
    "--data-dir=elsewhere",
    "a.mp3",
  );
  expect(request).toEqual({ paths: ["/home/someone/a.mp3"], dictates: true, isHidden: true });
  expect(settings).toMatchObject({ port: 0, dataDir: "/home/someone/elsewhere" });
});

it("reads only the arguments after the app folder that Electron was started with, also through a symbolic link", async () => {
  const folder = await openTestFolder();
  const appPath = join(folder, "desktop");
  mkdirSync(appPath);
  symlinkSync(appPath, join(folder, "link"), "junction");
  for (const name of ["desktop", "link"]) {
    expect(
      readStart(["-r", "loader.js", name, "a.mp3"], { ...surroundings, appPath, cwd: folder })
        .request.paths,
    ).toEqual([join(folder, "a.mp3")]);
  }
});

it("falls back to the environment where there is no flag", () => {
  const env = { HEARSAY_DATA_DIR: "/from env", HEARSAY_PORT: "5000" };
  expect(readStart(["--port", "5001"], { ...surroundings, env }).settings).toMatchObject({
    dataDir: "/from env",
    port: 5001,
  });
});

it("names a setting with an invalid value", () => {
  expect(() => start("--port", "many")).toThrow(/--port/);
});
