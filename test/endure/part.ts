// What a part of the endurance suite is: it ill-treats the app in one way and returns its figures against their gates.

import type { Row } from "../support/report.ts";

export type EndureContext = {
  /** Uniform in [0, 1), repeatable from the seed that the run prints. */
  random(): number;
  /** Time for what is repeated until it is over. */
  minutes: number;
  /** In `npm test`: a few seconds, the same checks with smaller counts. */
  isShort: boolean;
  /** Empty and the part's own; removed after it. */
  scratchDir: string;
  /** Prints what is going on. */
  log(text: string): void;
};

export type EndurePart = {
  /** Of a full run on an otherwise idle machine. */
  defaultMinutes: number;
  /** Every row has a goal. What cannot run here is a row without a value whose note says why. */
  run(context: EndureContext): Promise<Row[]>;
};
