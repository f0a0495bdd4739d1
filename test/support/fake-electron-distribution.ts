// A folder that looks like an Electron distribution for Linux: enough for electron-builder to package an app and for a
// start to find it. The test chooses what its program does. The real one is never downloaded.

import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import electronPackage from "electron/package.json" with { type: "json" };

/**
 * @electron/fuses finds the fuses in a program by this sentinel. Then follow a version, the number of fuses, and one
 * character per fuse.
 */
const fuseSentinel = "dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX";
/** The number of fuses in Electron 45. */
const fuseCount = 9;
/** Reads the fuses at the position that @electron/fuses uses. */
export const readFuses = (program: Buffer): string => {
  const start = program.indexOf(fuseSentinel) + fuseSentinel.length;
  return program.toString("latin1", start + 2, start + 2 + (program[start + 1] ?? 0));
};

const otherFiles = [
  "LICENSE",
  "LICENSES.chromium.html",
  "icudtl.dat",
  "resources.pak",
  "chrome_100_percent.pak",
  "chrome_200_percent.pak",
  "snapshot_blob.bin",
  "v8_context_snapshot.bin",
  "vk_swiftshader_icd.json",
  "chrome-sandbox",
  "chrome_crashpad_handler",
  "libffmpeg.so",
  "libEGL.so",
  "libGLESv2.so",
  "libvk_swiftshader.so",
  "libvulkan.so.1",
  "locales/en-US.pak",
  "locales/de.pak",
  "locales/fr.pak",
  "locales/sv.pak",
];

/** @param command shell command that the program runs; the program's arguments are appended */
export async function createFakeDistribution(dir: string, command = "exit 0"): Promise<void> {
  const wire = Buffer.concat([
    Buffer.from(fuseSentinel),
    Buffer.from([1, fuseCount]),
    Buffer.from("1".repeat(fuseCount)),
  ]);
  const files: [string, string | Buffer][] = [
    ["version", electronPackage.version],
    [
      "electron",
      Buffer.concat([Buffer.from(`#!/bin/sh\n${command}\nexit\n# `), wire, Buffer.from("\n")]),
    ],
    ...otherFiles.map((name): [string, string] => [name, name]),
  ];
  for (const [name, content] of files) {
    await mkdir(dirname(join(dir, name)), { recursive: true });
    await writeFile(join(dir, name), content, { mode: 0o755 });
  }
}
