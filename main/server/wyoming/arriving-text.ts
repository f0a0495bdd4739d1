// Text that arrives in chunks while it is being spoken: whole sentences can be taken as soon as the next one begins.

import { AppError } from "../../contract/errors.ts";
import { splitSentences } from "../../text/sentences.ts";

export const maxTextLength = 50_000;
/** Sentences are far shorter. White space may be longer, and would be searched again with every chunk. */
const maxRestLength = 2000;

export type ArrivingText = {
  /** @throws AppError if it gets too long */
  add(text: string): void;
  /** Nothing follows: the last sentence is complete. */
  end(): void;
  /** Waiting for text. */
  readonly isWaiting: boolean;
  /** Complete sentences, all that have arrived since the last ones. */
  sentences(): AsyncGenerator<string, void, undefined>;
};

/** @param language of the text, for its abbreviations */
export function createArrivingText(language: string | undefined): ArrivingText {
  let complete = "";
  /** The beginning of a sentence. */
  let rest = "";
  let length = 0;
  let isEnded = false;
  let isWaiting = false;
  let changed = Promise.withResolvers<void>();
  const notifyChange = (): void => {
    changed.resolve();
    changed = Promise.withResolvers();
  };
  return {
    get isWaiting() {
      return isWaiting;
    },
    add(text) {
      if (text === "") return;
      length += text.length;
      if (length > maxTextLength) throw new AppError("wyoming.textTooLong", { max: maxTextLength });
      rest += text;
      const lastStart = splitSentences(rest, () => language).at(-1)?.start ?? 0;
      complete += rest.slice(0, lastStart);
      rest = rest.slice(lastStart);
      if (rest.length > maxRestLength) {
        complete += rest;
        rest = "";
      }
      notifyChange();
    },
    end() {
      complete += rest;
      rest = "";
      isEnded = true;
      notifyChange();
    },
    async *sentences() {
      for (;;) {
        const text = complete;
        complete = "";
        if (text.trim() !== "") yield text;
        else if (isEnded) return;
        else {
          isWaiting = true;
          await changed.promise;
          isWaiting = false;
        }
      }
    },
  };
}
