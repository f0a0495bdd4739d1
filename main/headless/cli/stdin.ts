// All of standard input as text.

import { text } from 'node:stream/consumers';

export const readStdin = (): Promise<string> => text(process.stdin);
