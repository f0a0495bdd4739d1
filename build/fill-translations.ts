// Fills texts that a translation of the window lacks with the English ones while the page is built, so that a window
// loads the texts of one language only.

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";

/** A plugin of Vite. */
export const fillTranslations = {
  name: "fill-translations",
  // Before Vite turns JSON into a module.
  enforce: "pre" as const,
  async transform(json: string, path: string): Promise<string | undefined> {
    const area = /[\\/]renderer[\\/]messages[\\/]\w+[\\/](\w+\.json)$/.exec(path)?.[1];
    if (area === undefined) return undefined;
    const english = resolve(path, "../../en", area);
    if (english === resolve(path) || !existsSync(english)) return undefined;
    return JSON.stringify({
      ...(JSON.parse(await readFile(english, "utf8")) as object),
      ...(JSON.parse(json) as object),
    });
  },
};
