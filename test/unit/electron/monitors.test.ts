import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createMonitors } from "../../../main/electron/monitors.ts";
import { openTestFolder } from "../../support/test-data.ts";

const speakers = {
  name: "alsa_output.pci.monitor",
  description: 'Monitor of "Speakers"',
  monitor_source: "alsa_output.pci",
  properties: { "device.class": "monitor" },
};
const microphone = {
  name: "alsa_input.usb",
  description: "Microphone",
  monitor_source: "",
  properties: { "device.class": "sound" },
};

function server(list: object[]) {
  const commands: string[] = [];
  const run = async (args: readonly string[]): Promise<string> => {
    commands.push(args.join(" "));
    if (args[0] === "load-module") {
      list.push({
        name: String(args[3]).replace("source_name=", ""),
        description: "",
        properties: {},
      });
      return "536870913\n";
    }
    return args[0] === "--format=json" ? JSON.stringify(list) : "";
  };
  return { commands, run };
}

it("offers each audio output once as a named source, and removes the sources at the end", async () => {
  const { commands, run } = server([speakers, microphone]);
  const monitors = createMonitors({ system: "linux", run });
  expect(await Promise.all([monitors.offer(), monitors.offer()])).toEqual([1, 1]);
  await monitors.close();
  expect(commands).toEqual([
    "--format=json list sources",
    'load-module module-remap-source master=alsa_output.pci.monitor source_name=hearsay_monitor.alsa_output.pci source_properties=device.description="Monitor of Speakers"',
    "--format=json list sources",
    "unload-module 536870913",
  ]);
});

it("offers none where outputs cannot be listed", async () => {
  const gone = createMonitors({
    system: "linux",
    run: () => Promise.reject(new Error("spawn pactl ENOENT")),
  });
  expect(await gone.offer()).toBe(0);
  await gone.close();
  expect(
    await createMonitors({ system: "linux", run: async () => "pactl: unknown option" }).offer(),
  ).toBe(0);
  expect(await createMonitors({ system: "win32", run: server([speakers]).run }).offer()).toBe(0);
});

it.skipIf(process.platform === "win32")(
  "runs pactl as a program, with unchanged arguments",
  async () => {
    const folder = await openTestFolder();
    const path = join(folder, "arguments");
    writeFileSync(
      join(folder, "pactl"),
      `#!/bin/sh\nfor each in "$@"; do echo "$each" >> '${path}'; done\nif [ "$1" = load-module ]; then echo 7; else echo '${JSON.stringify([{ ...speakers, description: "Monitor of $(x) `y`" }])}'; fi\n`,
    );
    chmodSync(join(folder, "pactl"), 0o755);
    const { PATH } = process.env;
    process.env["PATH"] = `${folder}:${PATH}`;
    try {
      expect(await createMonitors({ system: "linux" }).offer()).toBe(1);
    } finally {
      process.env["PATH"] = PATH;
    }
    expect(readFileSync(path, "utf8")).toContain(
      'source_properties=device.description="Monitor of $(x) `y`"\n',
    );
  },
);
