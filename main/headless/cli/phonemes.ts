// hearsay phonemes: how each line is read, to see and fix it with [word](/phonemes/).

import { readFile } from 'node:fs/promises';
import { type Command } from './command.ts';
import { readStdin } from './stdin.ts';

export const phonemes: Command = {
  usage: 'phonemes [FILE...]',
  summary: 'show each line of files or of standard input as phonemes',
  options: {},
  help: {},
  async run(context) {
    const texts = context.positionals.length === 0 ? [await readStdin()] : await Promise.all(context.positionals.map((path) => readFile(path, 'utf8')));
    const lines = texts.flatMap((content) => content.replace(/\r?\n$/, '').split(/\r?\n/));
    const app = await context.app();
    const read = await app.phonemes(lines, context.signal);
    await context.print(`${read.join('\n')}\n`);
    return 0;
  },
};
