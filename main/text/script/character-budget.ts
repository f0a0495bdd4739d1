// Size limits of a script. They are checked while a document is read, so that reading a document that is too long stops
// early. Pure.

import { AppError } from "../../contract/errors.ts";
import { maxScriptCharacters } from "../../contract/narration.ts";

/** A sentence takes about 1.5 KB of memory, however short it is. */
export const maxScriptSentences = 150_000;

export type CharacterBudget = {
  /** Counts UTF-16 units of text. @throws AppError `string_too_long` if there are too many */
  consume(characters: number): void;
};

export function createCharacterBudget(maxCharacters = maxScriptCharacters): CharacterBudget {
  let remaining = maxCharacters;
  return {
    consume(characters) {
      remaining -= characters;
      if (remaining < 0) throw tooLongError(maxCharacters);
    },
  };
}

export const unlimitedBudget = (): CharacterBudget => ({ consume() {} });

export const tooManySentencesError = (): AppError =>
  new AppError("narration.tooManySentences", { max: maxScriptSentences });

const tooLongError = (maxCharacters: number): AppError =>
  new AppError("narration.tooLong", { max: maxCharacters });
