// The tasks of one request, and what takes several of them on one child.

import type { AppError } from "../../contract/errors.ts";
import type { AudioPart } from "../../contract/speech.ts";
import { splitAudio, type SplitOptions } from "./audio-splitter.ts";
import { runPinned } from "./retry-on-child-loss.ts";
import type { PinnedChild, TaskRunner } from "./task-runner.ts";

export type PoolJob = TaskRunner & {
  /**
   * Runs work with a pinned child, and again with another one if that is lost.
   * @param repeatedLossError creates the error for the second child lost by the work itself
   */
  runPinned<T>(
    work: (child: PinnedChild) => Promise<T>,
    repeatedLossError: () => AppError,
  ): Promise<T>;
  /** Cuts a range of a media file into WAV files in `tempDir`, see audio-splitter.ts. */
  splitAudio(tempDir: string, options: SplitOptions): AsyncIterable<AudioPart>;
};

export const createPoolJob = (runner: TaskRunner): PoolJob => ({
  ...runner,
  runPinned: (work, repeatedLossError) => runPinned(runner, work, repeatedLossError),
  splitAudio: (tempDir, options) => splitAudio(runner, tempDir, options),
});
