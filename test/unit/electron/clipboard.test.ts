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
  "uses the system's clipboard under %s, whichever window has the focus",
  async (_where, system, env) => {
    await createClipboard({ system, env }).write("Hello.");
    expect(fake.clipboard).toBe("Hello.");
  },
);

it("uses the system's clipboard under Wayland while a window of Hearsay has the focus", async () => {
  new BrowserWindow().focus();
  await createClipboard({ system: "linux", env: wayland }).write("Hello.");
  expect(fake.clipboard).toBe("Hello.");
});

it("rejects text under Wayland that the system would discard", async () => {
  await expect(createClipboard({ system: "linux", env: wayland }).write("Hello.")).rejects.toThrow(
    "wl-copy",
  );
  expect(fake.clipboard).toBe("before");
});

it.skipIf(process.platform === "win32")(
  "passes the text to wl-copy in the background under Wayland, on stdin and not as an argument, and wl-copy may keep running",
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

it("fails under Wayland when wl-copy fails", async () => {
  const folder = await openTestFolder();
  writeFileSync(join(folder, "wl-copy"), "", { mode: 0o755 });
  await expect(
    createClipboard({ system: "linux", env: { ...wayland, PATH: folder }, run: failing }).write(
      "Hello.",
    ),
  ).rejects.toThrow("wl-copy");
});
