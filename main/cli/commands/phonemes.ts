// hearsay phonemes: prints how each line is pronounced, to check it and correct it with [word](/phonemes/).

import { type Command, engineSettings } from "./command.ts";
import { readStdin, readTextFile } from "./text-input.ts";

export const phonemes: Command = {
  usage: "phonemes [FILE...]",
  summary: "print each line of the input as phonemes",
  options: {},
  settings: engineSettings,
  help: {},
  async run(context) {
    const texts =
      context.positionals.length === 0
        ? [await readStdin()]
        : await Promise.all(context.positionals.map(readTextFile));
    const lines = texts.flatMap((content) => content.replace(/\r?\n$/, "").split(/\r?\n/));
    const client = await context.client({ changesNothing: true });
    const { lines: phonemeLines } = await client.call("readPhonemes", { lines });
    await context.print(`${phonemeLines.join("\n")}\n`);
    return 0;
  },
};
