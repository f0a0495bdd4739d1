// Makes audio outputs of a Linux machine selectable as inputs: Chromium hides monitors of PulseAudio and PipeWire
// (crbug 931749), but not sources remapped from them. Created on request, removed when the app exits.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { z } from "zod";

export type Monitors = {
  /** Number of outputs that can be recorded now; 0 if the system lists none. Never rejects. */
  offer(): Promise<number>;
  /** Removes the sources. Never rejects. */
  close(): Promise<void>;
};

export type MonitorsDeps = {
  system?: NodeJS.Platform;
  run?(args: readonly string[]): Promise<string>;
};

/** Fields of `pactl --format=json list sources`. */
const sourceListSchema = z.array(
  z.object({
    name: z.string(),
    description: z.string().catch(""),
    properties: z.object({ "device.class": z.string().optional() }).catch({}),
  }),
);

const sourcePrefix = "hearsay_monitor.";
const timeoutMs = 5000;
const runPactl = async (args: readonly string[]): Promise<string> =>
  (
    await promisify(execFile)("pactl", [...args], {
      timeout: timeoutMs,
      env: { ...process.env, LC_ALL: "C" },
    })
  ).stdout;

export function createMonitors({
  system = process.platform,
  run = runPactl,
}: MonitorsDeps = {}): Monitors {
  /** Ids of loaded modules. */
  const modules: string[] = [];
  let lastOffer: Promise<number> = Promise.resolve(0);

  async function offer(): Promise<number> {
    const all = sourceListSchema.parse(JSON.parse(await run(["--format=json", "list", "sources"])));
    const monitors = all.filter(
      ({ name, properties }) =>
        !name.startsWith(sourcePrefix) &&
        (properties["device.class"] === "monitor" || name.endsWith(".monitor")),
    );
    const existingNames = new Set(all.map(({ name }) => name));
    for (const { name, description } of monitors) {
      const sourceName = `${sourcePrefix}${name.replace(/\.monitor$/, "")}`;
      // Already exists, from this run or from one that could not remove it.
      if (existingNames.has(sourceName)) continue;
      const label = `Monitor of ${description.replace(/^Monitor of /, "") || name}`.replaceAll(
        /["'\\]/g,
        "",
      );
      const id = await run([
        "load-module",
        "module-remap-source",
        `master=${name}`,
        `source_name=${sourceName}`,
        `source_properties=device.description="${label}"`,
      ]);
      modules.push(id.trim());
    }
    return monitors.length;
  }

  return {
    offer() {
      if (system !== "linux") return Promise.resolve(0);
      lastOffer = lastOffer.then(offer).catch(() => 0);
      return lastOffer;
    },
    async close() {
      await lastOffer;
      for (const id of modules.splice(0)) await run(["unload-module", id]).catch(() => "");
    },
  };
}
