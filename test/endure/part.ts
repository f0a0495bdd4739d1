// A part of the endurance suite stresses the app in one way and returns measurements with their limits.

import type { Row } from "../support/report.ts";

export type EndureContext = {
  /** Uniform in [0, 1), reproducible with the seed that the run prints. */
  random(): number;
  /** Duration of repeated work. */
  minutes: number;
  /** As a test in `npm test`: a few seconds, the same checks with smaller counts. */
  isShort: boolean;
  /** An empty folder for this part, removed after it. */
  scratchDir: string;
  /** Prints progress. */
  log(text: string): void;
};

export type EndurePart = {
  /** Duration of a full run on an otherwise idle machine. */
  defaultMinutes: number;
  /** Every row has a goal. If something cannot run here, its row has no value and a note with the reason. */
  run(context: EndureContext): Promise<Row[]>;
};
