// The order of test files: those that take longest begin first, so that no worker is left alone with one at the end.

import { basename } from "node:path";

/** Longest first, by what they were measured to take; all others follow as they come. */
const slowFiles = [
  "cli.test.ts",
  "languages.test.ts",
  "hibari.test.ts",
  "accessibility.test.ts",
  "moonshine.test.ts",
  "packaging.test.ts",
  "local-channel.test.ts",
  "pool.test.ts",
  "transcribing.test.ts",
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
  "shared-transcription.test.ts",
  "library.test.ts",
  "recording.test.ts",
];

type TestFile = { readonly moduleId: string };

/** As vitest's `sequence.sequencer` wants it. */
export class SlowFilesFirst {
  sort<File extends TestFile>(files: File[]): Promise<File[]> {
    const rank = ({ moduleId }: File): number =>
      (slowFiles.indexOf(basename(moduleId)) + slowFiles.length + 1) % (slowFiles.length + 1);
    return Promise.resolve(files.toSorted((one, other) => rank(one) - rank(other)));
  }

  /** Nothing here runs a part of the tests alone. */
  shard<File extends TestFile>(files: File[]): Promise<File[]> {
    return Promise.resolve(files);
  }
}
