// When work that a child keeps state for begins again on another one. Its own task may lose a child once: twice is
// no chance. A child lost to somebody else's task, such as a piece that crashes the engine, is not its fault.

import { AppError } from "../../contract/errors.ts";
import { ChildLostError } from "./child-lost-error.ts";

/** Bounds the losses that are nobody's fault here, where no engine process stays alive at all. */
const maxLosses = 12;

/**
 * @param repeatedLossError what is thrown when the work itself lost a second child
 * @returns takes what was thrown; returns where the work may begin again, else throws
 */
export function createChildLossCheck(repeatedLossError: () => AppError): (error: unknown) => void {
  let losses = 0;
  let ownLosses = 0;
  return (error) => {
    if (!(error instanceof ChildLostError)) throw error;
    losses += 1;
    if (error.runningTask !== undefined) ownLosses += 1;
    if (ownLosses > 1) throw repeatedLossError();
    if (losses > maxLosses)
      throw new AppError("engine_failed", "The speech engine does not stay alive.", {
        cause: error,
      });
  };
}
