// What the app and the process that reads a document say to each other. Files are named, not sent: neither side holds
// a whole document in a message.

import type { ErrorKey } from '../../contract/errors.ts';

export type ToImportChild = {
  /** Of the document, as its owner calls it. */
  name: string;
  inputPath: string;
  /** Becomes JSON: title, author, script, cover. */
  outputPath: string;
};

export type FromImportChild = { type: 'done' } | { type: 'failed'; key: ErrorKey; message: string; param?: string };
