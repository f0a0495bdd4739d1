import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openTestFolder } from "../../support/test-data.ts";
import { createTyping, type TypingDeps } from "../../../main/electron/typing.ts";

async function folderWith(...programs: string[]): Promise<string> {
  const folder = join(await openTestFolder(), "bin");
  mkdirSync(folder);
  for (const program of programs) {
    writeFileSync(join(folder, program), "");
    chmodSync(join(folder, program), 0o755);
  }
  return folder;
}

type Ran = [string, ...string[]][];
function typing(deps: Partial<TypingDeps>, failing: readonly string[] = []) {
  const ran: Ran = [];
  const made = createTyping({
    isTrusted: () => true,
    run: async (program, args) => {
      ran.push([program, ...args]);
      if (failing.includes(program)) throw new Error(`${program} failed`);
    },
    ...deps,
  });
  return { ...made, ran };
}

it("presses Command+V on macOS, where it has permission", async () => {
  const { unavailableReason, paste, ran } = typing({ system: "darwin" });
  expect(unavailableReason()).toBeUndefined();
  await paste();
  expect(ran).toEqual([
    ["osascript", "-e", 'tell application "System Events" to keystroke "v" using command down'],
  ]);
  expect(typing({ system: "darwin", isTrusted: () => false }).unavailableReason()).toBe(
    "typeNeedsAccess",
  );
});

it("presses Control+V on Windows", async () => {
  const { paste, ran } = typing({ system: "win32" });
  await paste();
  expect(ran).toEqual([
    [
      "powershell.exe",
      "-NoProfile",
      "-NonInteractive",
      "-Command",
      "(New-Object -ComObject WScript.Shell).SendKeys('^v')",
    ],
  ]);
});

it("presses Control+V with xdotool on X11, or reports that it is missing", async () => {
  const { unavailableReason, paste, ran } = typing({
    system: "linux",
    env: { PATH: `/nowhere:${await folderWith("xdotool", "wtype")}` },
  });
  expect(unavailableReason()).toBeUndefined();
  await paste();
  expect(ran.map(([program]) => program)).toEqual(["xdotool"]);
  expect(
    typing({ system: "linux", env: { PATH: await folderWith("wtype") } }).unavailableReason(),
  ).toBe("typeNeedsXdotool");
});

it("presses Control+V on Wayland with the first program that works", async () => {
  const env = {
    PATH: await folderWith("xdotool", "wtype", "ydotool"),
    XDG_SESSION_TYPE: "wayland",
  };
  const { paste, ran } = typing({ system: "linux", env }, ["wtype"]);
  await paste();
  expect(ran.map(([program]) => program)).toEqual(["wtype", "ydotool"]);
  await expect(typing({ system: "linux", env }, ["wtype", "ydotool"]).paste()).rejects.toThrow(
    "ydotool failed",
  );
});

it("reports that Wayland has no such program", () => {
  const { unavailableReason, paste } = typing({
    system: "linux",
    env: { PATH: "", WAYLAND_DISPLAY: "wayland-0" },
  });
  expect(unavailableReason()).toBe("typeNeedsWayland");
  return expect(paste()).rejects.toThrow(/no program that can press keys/);
});
