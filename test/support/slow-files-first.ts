// Orders the test files by project, and within it by duration, longest first, so that no worker is left alone with a
// long file at the end.

import { basename } from "node:path";

/** The longest files by measured duration; all others follow in their usual order. */
const slowFiles = [
  "accessibility.test.ts",
  "cli.test.ts",
  "kokoro.test.ts",
  "languages.test.ts",
  "dictate.test.ts",
  "packaging.test.ts",
  "transcribe.test.ts",
  "storage.test.ts",
  "pool.test.ts",
  "serve.test.ts",
  "measure.test.ts",
  "soak.test.ts",
  "recording.test.ts",
  "recognizer-families.test.ts",
  "registry-models.test.ts",
  "transcription.test.ts",
  "models.test.ts",
  "faults.test.ts",
  "models-get.test.ts",
  "hibari.test.ts",
  "library.test.ts",
  "narrate-voices.test.ts",
  "local-channel.test.ts",
  "model-archives.test.ts",
  "narrate.test.ts",
  "failover.test.ts",
  "instances.test.ts",
  "narration.test.ts",
  "chain.test.ts",
  "speakers.test.ts",
  "children.test.ts",
  "moonshine.test.ts",
  "speech-formats.test.ts",
  "frame.test.ts",
  "desktop-host.test.ts",
  "list-keys.test.ts",
  "narrate-export.test.ts",
  "channels.test.ts",
  "restart.test.ts",
  "serve-long-file.test.ts",
];

/** In this order. A worker keeps its modules only while the next file is of the same project. */
const projects = ["unit", "engine", "system", "desktop", "endurance"];

type TestFile = { readonly moduleId: string; readonly project: { readonly name: string } };

/** Implements vitest's `sequence.sequencer`. */
export class SlowFilesFirst {
  sort<File extends TestFile>(files: File[]): Promise<File[]> {
    const rank = ({ moduleId }: File): number =>
      (slowFiles.indexOf(basename(moduleId)) + slowFiles.length + 1) % (slowFiles.length + 1);
    const projectRank = ({ project }: File): number => projects.indexOf(project.name);
    return Promise.resolve(
      files.toSorted(
        (one, other) => projectRank(one) - projectRank(other) || rank(one) - rank(other),
      ),
    );
  }

  /** Tests are not sharded. */
  shard<File extends TestFile>(files: File[]): Promise<File[]> {
    return Promise.resolve(files);
  }
}
