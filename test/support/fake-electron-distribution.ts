// A folder that looks like a distribution of Electron for Linux: enough for electron-builder to pack an app with, and
// for a start to find; what its program does is up to the test. The real one is never downloaded.

import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import electronPackage from "electron/package.json" with { type: "json" };

/** How @electron/fuses finds the wire of fuses in a program: this, its version, how many, and a character each. */
const fuseSentinel = "dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX";
/** As many as Electron 45 has. */
const fuseCount = 9;
/** Where @electron/fuses reads the state of a fuse. */
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
  "locales/sv.pak",
];

/** @param command what the program runs, as a shell takes it; its own arguments follow */
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
