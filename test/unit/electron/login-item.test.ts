import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { app, fake } from "../../support/fake-electron.ts";
import { openTestFolder } from "../../support/test-data.ts";
import { createLoginItem } from "../../../main/electron/login-item.ts";

const electron = app as unknown as Electron.App;

it.each(["darwin", "win32"] as const)("uses the system's list of login items on %s", (system) => {
  const item = createLoginItem({ app: electron, system });
  expect(item.isOn()).toBe(false);
  item.set(true);
  expect([item.isOn(), fake.loginItem]).toEqual([true, { openAtLogin: true, args: ["--hidden"] }]);
  item.set(false);
  expect(item.isOn()).toBe(false);
});

it("writes an autostart file on Linux, and removes it when disabled", async () => {
  const config = await openTestFolder();
  const item = createLoginItem({
    app: electron,
    system: "linux",
    env: { XDG_CONFIG_HOME: config },
    execPath: "/opt/Hearsay app/hearsay",
  });
  const path = join(config, "autostart", "hearsay.desktop");
  item.set(false);
  expect(item.isOn()).toBe(false);
  item.set(true);
  expect(item.isOn()).toBe(true);
  expect(readFileSync(path, "utf8").split("\n")).toEqual(
    expect.arrayContaining([
      "[Desktop Entry]",
      "Type=Application",
      'Exec="/opt/Hearsay app/hearsay" --hidden',
    ]),
  );
  item.set(false);
  expect([item.isOn(), existsSync(path)]).toEqual([false, false]);
});

it("says why the autostart file cannot be written", async () => {
  const config = join(await openTestFolder(), "config");
  writeFileSync(config, "a file where the folder should be");
  const item = createLoginItem({
    app: electron,
    system: "linux",
    env: { XDG_CONFIG_HOME: config },
    execPath: "/opt/hearsay",
  });
  expect(() => item.set(true)).toThrow(/^Starting at login could not be changed: ENOTDIR/);
});

it("starts an AppImage by its own path, whatever characters its name contains", async () => {
  const config = await openTestFolder();
  createLoginItem({
    app: electron,
    system: "linux",
    env: { XDG_CONFIG_HOME: config, APPIMAGE: '/home/a/100% "$HOME".AppImage' },
    execPath: "/tmp/.mount_1/hearsay",
  }).set(true);
  expect(readFileSync(join(config, "autostart", "hearsay.desktop"), "utf8")).toContain(
    String.raw`Exec="/home/a/100%% \\"\\$HOME\\".AppImage" --hidden`,
  );
});

it("can start at login only when it is installed", () => {
  const item = createLoginItem({ app: electron, system: "linux" });
  expect(item.isPossible()).toBe(false);
  fake.isPackaged = true;
  expect(item.isPossible()).toBe(true);
  fake.isPackaged = false;
});
