import { expect, it } from "vitest";
import type { NarrateOptions, Role } from "../../../../main/contract/narration.ts";
import { readSentences } from "../../../../main/jobs/narration/sentences.ts";
import { runToCompletion } from "../../../../main/processes/time-slices.ts";

const script =
  "The ferry leaves the old harbor every morning, and it is the only one there was.\n\n" +
  "El barco de la pág. 5 sale del puerto por la mañana, y es el único que hay en la ciudad. ¿Cierto?";
const read = (options: Partial<NarrateOptions>, text = script) =>
  runToCompletion(
    readSentences({
      script: text,
      options: { model: "tts-1-hd", voice: "nova", speed: 1, ...options },
      pronunciations: [],
      voices: [],
    }),
  );

it("finds the language of each paragraph", () => {
  expect(
    read({ englishFamily: "kokoro-compact" }).map(({ text, language }) => [
      text.slice(0, 8),
      language,
    ]),
  ).toEqual([
    ["The ferr", "en"],
    ["El barco", "es"],
    ["¿Cierto?", "es"],
  ]);
});

it("keeps sentences and keys of takes of a narration from before there was a choice", () => {
  expect(
    read({}).map(({ text, content, language }) => [text.slice(0, 8), content, language]),
  ).toEqual([
    ["The ferr", "7tnlyOQX3Y-8NeTEyYjXcM", undefined],
    ["El barco", "MbTUJncBfH88VFN5tUeDQy", undefined],
    ["5 sale d", "SNkXUkq04WvabzVCAYM4n0", undefined],
    ["¿Cierto?", "hBVwJTo8aL8DH8Vf8RIM57", undefined],
  ]);
});

it("makes out of date what a role's own settings change, and nothing else", () => {
  const play = "One here.\n\n[Mara] Two here.\n\n[Tom] Three here.";
  const contents = (mara: Partial<Role>, options: Partial<NarrateOptions> = {}) =>
    read({ cast: [{ name: "Mara", ...mara }, { name: "Tom" }], ...options }, play).map(
      ({ content }) => content,
    );
  const [narrator, mara, tom] = contents({});
  expect(contents({ speed: 1.2 })).toEqual([narrator, expect.not.stringMatching(mara ?? ""), tom]);
  expect(contents({ voice: "onyx" })[1]).not.toBe(mara);
  expect(contents({ sentencePauseSec: 2, gainDb: -6 }, { paragraphPauseSec: 3 })).toEqual([
    narrator,
    mara,
    tom,
  ]);
});

it("pronounces words as the narration says, then as the vocabulary does", () => {
  const text = "Zarn met Mira. Nobody else came. Oslo slept.";
  const spoken = (pronunciations?: NarrateOptions["pronunciations"]) =>
    runToCompletion(
      readSentences({
        script: text,
        options: {
          model: "tts-1-hd",
          voice: "nova",
          speed: 1,
          ...(pronunciations && { pronunciations }),
        },
        pronunciations: [
          { word: "Zarn", says: "zahn" },
          { word: "Oslo", says: "ooslo" },
        ],
        voices: [],
      }),
    );
  const before = spoken();
  const after = spoken([
    { word: " ZARN ", says: "tsarn" },
    { word: "mira", says: "/miːrɑ/" },
    { word: "Oslo", says: "" },
    { word: "", says: "nothing" },
  ]);
  expect(after.map((sentence) => sentence.text)).toEqual([
    "tsarn met [Mira](/miːrɑ/).",
    "Nobody else came.",
    "ooslo slept.",
  ]);
  expect(after.map(({ id }, index) => id === before[index]?.id)).toEqual([false, true, true]);
  expect(spoken([]).map(({ id }) => id)).toEqual(before.map(({ id }) => id));
});

it("takes a blend for the name of a voice where its parts are voices", () => {
  const play = "[nova(2)+onyx(1)] Hello.\n[nova+nobody] Hello.";
  expect(read({}, play).map(({ voice, text }) => [voice, text])).toEqual([
    ["nova(2)+onyx(1)", "Hello."],
    ["nova(2)+onyx(1)", "[nova+nobody] Hello."],
  ]);
});
