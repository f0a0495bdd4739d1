// Whether the voices here know the phonemes that are written into a text.

import { AppError } from "../contract/errors.ts";
import { inlinePhonemeLink } from "./english/inline-phonemes.ts";
import { isPhoneme } from "./phoneme-alphabet.ts";

/** @throws AppError that names the first unknown phoneme and its place */
export function checkInlinePhonemes(text: string): void {
  for (const { 0: written, 2: phonemes = "", index } of text.matchAll(inlinePhonemeLink)) {
    const start = index + written.indexOf("](/") + "](/".length;
    let offset = 0;
    for (const phoneme of phonemes) {
      if (!isPhoneme(phoneme))
        throw new AppError(
          "voice.unknownPhoneme",
          { phoneme, written, place: start + offset + 1 },
          { param: "input" },
        );
      offset += phoneme.length;
    }
  }
}
