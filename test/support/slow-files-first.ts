// Orders the test files by duration, longest first, so that no worker is left alone with a long file at the end.

import { basename } from "node:path";

/** The longest files by measured duration; all others follow in their usual order. */
const slowFiles = [
  "cli.test.ts",
  "languages.test.ts",
  "hibari.test.ts",
  "accessibility.test.ts",
  "moonshine.test.ts",
  "packaging.test.ts",
  "registry-models.test.ts",
  "local-channel.test.ts",
  "pool.test.ts",
  "transcription.test.ts",
  "serve.test.ts",
  "serve-long-file.test.ts",
  "shell.test.ts",
  "transcribe.test.ts",
  "dictate.test.ts",
  "chain.test.ts",
  "narrate.test.ts",
  "list-keys.test.ts",
  "faults.test.ts",
  "failover.test.ts",
  "library.test.ts",
  "recording.test.ts",
];

type TestFile = { readonly moduleId: string };

/** Implements vitest's `sequence.sequencer`. */
export class SlowFilesFirst {
  sort<File extends TestFile>(files: File[]): Promise<File[]> {
    const rank = ({ moduleId }: File): number =>
      (slowFiles.indexOf(basename(moduleId)) + slowFiles.length + 1) % (slowFiles.length + 1);
    return Promise.resolve(files.toSorted((one, other) => rank(one) - rank(other)));
  }

  /** Tests are not sharded. */
  shard<File extends TestFile>(files: File[]): Promise<File[]> {
    return Promise.resolve(files);
  }
}
