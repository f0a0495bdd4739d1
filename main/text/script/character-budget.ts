// How much text a document may still yield: counted while it is read, so that a document which is too long is not
// read to its end. Pure.

import { AppError } from '../../contract/errors.ts';

/** As contract/studio-api.ts limits a script. */
export const maxScriptCharacters = 5_000_000;

export type CharacterBudget = {
  /** Counts UTF-16 units of text. @throws AppError `string_too_long` where they are too many */
  take(characters: number): void;
};

export function createCharacterBudget(maxCharacters = maxScriptCharacters): CharacterBudget {
  let left = maxCharacters;
  return {
    take(characters) {
      left -= characters;
      if (left < 0) throw tooLong(maxCharacters);
    },
  };
}

export const unlimited = (): CharacterBudget => ({ take() {} });

const tooLong = (maxCharacters: number): AppError =>
  new AppError('string_too_long', `The text has more than ${maxCharacters.toLocaleString('en')} characters, which is the most a narration takes. Split it into several files.`);
