import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { createClipboard } from "../../../main/electron/clipboard.ts";
import { BrowserWindow, fake } from "../../support/fake-electron.ts";
import { openTestFolder } from "../../support/test-data.ts";

beforeEach(() => {
  fake.clipboard = "before";
  for (const window of BrowserWindow.all) window.destroy();
});

const wayland = { XDG_SESSION_TYPE: "wayland", PATH: "/nowhere" };

const failing = async (): Promise<void> => Promise.reject(new Error("no compositor"));

it.each([
  ["Windows", "win32", {}],
  ["macOS", "darwin", {}],
  ["X11", "linux", { XDG_SESSION_TYPE: "x11" }],
] as const)(
  "under %s it is the one of the system, whoever is in front",
  async (_where, system, env) => {
    await createClipboard({ system, env }).write("Hello.");
    expect(fake.clipboard).toBe("Hello.");
  },
);

it("under Wayland it is that where a window of ours is in front", async () => {
  new BrowserWindow().focus();
  await createClipboard({ system: "linux", env: wayland }).write("Hello.");
  expect(fake.clipboard).toBe("Hello.");
});

it("under Wayland text that would be dropped is refused instead", async () => {
  await expect(createClipboard({ system: "linux", env: wayland }).write("Hello.")).rejects.toThrow(
    "wl-copy",
  );
  expect(fake.clipboard).toBe("before");
});

it.skipIf(process.platform === "win32")(
  "under Wayland wl-copy takes it from behind, by its input and no argument, and may stay",
  async () => {
    const folder = await openTestFolder();
    const copied = join(folder, "copied");
    writeFileSync(
      join(folder, "wl-copy"),
      `#!/bin/sh\n{ echo "arguments: $#"; cat; } > '${copied}'\nsleep 5 &\n`,
    );
    chmodSync(join(folder, "wl-copy"), 0o755);
    const { PATH } = process.env;
    process.env["PATH"] = `${folder}:${PATH}`;
    try {
      await createClipboard({ system: "linux", env: { ...wayland, PATH: folder } }).write(
        'Hello "there"; $(rm)\nyes',
      );
    } finally {
      process.env["PATH"] = PATH;
    }
    expect(readFileSync(copied, "utf8")).toBe('arguments: 0\nHello "there"; $(rm)\nyes');
  },
);

it("under Wayland a wl-copy that fails is no success", async () => {
  const folder = await openTestFolder();
  writeFileSync(join(folder, "wl-copy"), "", { mode: 0o755 });
  await expect(
    createClipboard({ system: "linux", env: { ...wayland, PATH: folder }, run: failing }).write(
      "Hello.",
    ),
  ).rejects.toThrow("wl-copy");
});
