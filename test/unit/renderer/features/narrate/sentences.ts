// Sentences for tests: one per word of the script, with a tenth of a second per letter.

import type { Narration, NarrationSentence } from "../../../../../main/contract/narration.ts";

export function sentence(
  id: string,
  fields: Partial<NarrationSentence> & { audioSec?: number } = {},
): NarrationSentence {
  const { audioSec, ...rest } = fields;
  const takes =
    audioSec === undefined
      ? []
      : [
          {
            id: `take-${id}`,
            durationSec: audioSec,
            madeAtMs: 0,
            model: "tts-1",
            channel: "local",
          },
        ];
  return { id, start: 0, end: id.length, text: id, voice: "nova", pauseSec: 0.5, takes, ...rest };
}

/** Like the app's response: each word is a sentence whose id is the word; those in `made` have a take. */
export function narrationOf(
  script: string,
  made: readonly string[] = [],
  fields: Partial<Narration> = {},
): Narration {
  const sentences = Array.from(script.matchAll(/\S+/g), ({ 0: word, index }) =>
    sentence(word, {
      start: index,
      end: index + word.length,
      ...(made.includes(word) && { audioSec: word.length / 10 }),
    }),
  );
  return {
    revision: 1,
    script,
    options: { model: "tts-1-hd", voice: "nova", speed: 1 },
    sentences,
    unspeakable: [],
    otherLanguages: [],
    ...fields,
  };
}
