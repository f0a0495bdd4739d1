import { describe, expect, it } from "vitest";
import { maxScriptSentences } from "../../../../main/text/script/character-budget.ts";
import { createPronouncer } from "../../../../main/text/script/apply-pronunciations.ts";
import { parseScript, type ScriptSentence } from "../../../../main/text/script/script.ts";
import { findUnpronounceableWordsInSteps } from "../../../../main/text/script/unpronounceable-words.ts";
import { runToCompletion } from "../../../../main/processes/time-slices.ts";
import { cpuMs } from "../../../support/cpu-time.ts";

const names = ["nova", "onyx"];
const read = (
  script: string,
  { speed = 1, pronounce = (text: string) => text } = {},
): ScriptSentence[] =>
  parseScript(script, {
    voice: "nova",
    speed,
    findVoice: (name) => names.find((known) => known === name.toLowerCase()),
    pronounce,
  });
const texts = (script: string) => read(script).map(({ text }) => text);

const pauses = (script: string, speed?: number) =>
  read(script, speed === undefined ? {} : { speed }).map(({ pauseSec }) => pauseSec);

describe("voices", () => {
  it("change at the start of a line until the next change", () => {
    const found = read("Hello.\n[onyx] Good day. How are you?\nStill me.\n\n[Nova] And me again.");
    expect(found.map(({ text, voice }) => [voice, text])).toEqual([
      ["nova", "Hello."],
      ["onyx", "Good day."],
      ["onyx", "How are you?"],
      ["onyx", "Still me."],
      ["nova", "And me again."],
    ]);
  });

  it("are not changed by brackets that name no voice, are within a line, or have phonemes", () => {
    expect(texts("[Applause] Thanks.")).toEqual(["[Applause] Thanks."]);
    expect(texts("He said [onyx] aloud.")).toEqual(["He said [onyx] aloud."]);
    expect(texts("[onyx](/ˈɑnɪks/) is a stone.")).toEqual(["[onyx](/ˈɑnɪks/) is a stone."]);
  });
});

const languagesOf = (script: string, options = {}) =>
  parseScript(script, {
    voice: "nova",
    speed: 1,
    findVoice: (name) => names.find((known) => known === name),
    pronounce: (text) => text,
    languageOf: () => "en",
    ...options,
  }).map(({ text, voice, language, isLanguageGiven }) => [
    text,
    `${voice} ${language}${isLanguageGiven ? " given" : ""}`,
  ]);

describe("languages", () => {
  it("are those of tags at the start of paragraphs, each for one", () => {
    expect(languagesOf("Hello.\n\n[es] Vale. Ya voy.\n\nGoodbye.")).toEqual([
      ["Hello.", "nova en"],
      ["Vale.", "nova es given"],
      ["Ya voy.", "nova es given"],
      ["Goodbye.", "nova en"],
    ]);
    expect(languagesOf("[pt-BR] # Olá\n[es] Vale. [pause] Voy.\nGoodbye.")).toEqual([
      ["Olá", "nova pt given"],
      ["Vale.", "nova es given"],
      ["Voy.", "nova es given"],
      ["Goodbye.", "nova en"],
    ]);
    // Of narrations without languages of their own, only what is tagged has one.
    expect(languagesOf("Hello.\n\n[es] Vale.\n\nBye.", { languageOf: undefined })).toEqual([
      ["Hello.", "nova undefined"],
      ["Vale.", "nova es given"],
      ["Bye.", "nova undefined"],
    ]);
  });

  it("stand before or after whose text it is", () => {
    expect(languagesOf("[onyx] [es] Vale.\n\n[es] [nova] Vale.\n\n[es] Vale.")).toEqual([
      ["Vale.", "onyx es given"],
      ["Vale.", "nova es given"],
      ["Vale.", "nova es given"],
    ]);
    const cast = [{ name: "Mara", voice: "onyx" }];
    expect(languagesOf("[es] «Ven», [Mara] dijo.", { cast })).toEqual([
      ["«Ven»,", "nova es given"],
      ["dijo.", "onyx es given"],
    ]);
  });

  it("are ordinary text elsewhere, and the names of roles and voices where there are such", () => {
    expect(languagesOf("He said [es] twice.\n[xx] No.\n[It] was.\n[spanish] No.")).toEqual([
      ["He said [es] twice.", "nova en"],
      ["[xx] No.", "nova en"],
      ["[It] was.", "nova en"],
      ["[spanish] No.", "nova en"],
    ]);
    expect(languagesOf("[es] Hello.", { cast: [{ name: "Es", voice: "onyx" }] })).toEqual([
      ["Hello.", "onyx en"],
    ]);
    expect(languagesOf("[es] Hello.", { findVoice: (name: string) => name })).toEqual([
      ["Hello.", "es en"],
    ]);
  });
});

describe("roles of the cast", () => {
  const cast = [
    { name: "Mara", voice: "onyx", speed: 0.5, gainDb: -3 },
    { name: "Old Tom", voice: "onyx", sentencePauseSec: 2 },
    { name: "Narrator" },
  ];
  const play = (script: string, options = {}) =>
    parseScript(script, {
      voice: "nova",
      speed: 1,
      cast,
      findVoice: (name) => names.find((known) => known === name),
      pronounce: (text) => text,
      ...options,
    });

  it("take turns within a line, without the pause between paragraphs", () => {
    const found = play('[Mara] "You are early," [narrator] said Mara. [Old Tom] "I know."\n\nOn.');
    expect(found.map(({ speaker, voice, text }) => [speaker, voice, text])).toEqual([
      ["Mara", "onyx", '"You are early,"'],
      ["Narrator", "nova", "said Mara."],
      ["Old Tom", "onyx", '"I know."'],
      ["Old Tom", "onyx", "On."],
    ]);
    expect(found.map(({ pauseSec }) => pauseSec)).toEqual([0.4, 0.4, 0.75, 0.75]);
  });

  it("have a speed, pauses and a loudness of their own", () => {
    const [mara, tom, narrator] = play("[Mara] One. Two.\n[Old Tom] Three. Four.\n[nova] Five.", {
      gainDb: 2,
      paragraphPauseSec: 3,
    }).filter((_, index) => index % 2 === 0);
    expect(mara).toMatchObject({ speed: 0.5, gainDb: -3, pauseSec: 0.8 });
    expect(tom).toMatchObject({ speed: 1, gainDb: 2, pauseSec: 2 });
    expect(narrator).toMatchObject({ speaker: "nova", gainDb: 2, pauseSec: 3 });
  });
});

describe("languages", () => {
  it("of paragraphs are kept where they are asked for, and end sentences by their own abbreviations", () => {
    const script = "El Sr. Pérez llega.\n\nMr. Hall leaves.\n\nOk.";
    const languages = ["es", "en", undefined];
    const found = parseScript(script, {
      voice: "nova",
      speed: 1,
      findVoice: () => undefined,
      pronounce: (text) => text,
      languageOf: () => languages.shift(),
    });
    expect(found.map(({ text, language }) => [text, language])).toEqual([
      ["El Sr. Pérez llega.", "es"],
      ["Mr. Hall leaves.", "en"],
      ["Ok.", undefined],
    ]);
    expect(read(script)[0]).not.toHaveProperty("language");
  });
});

describe("pauses", () => {
  it("are longer after a paragraph than after a sentence, and shorter at a higher speed", () => {
    const [sentence = 0, paragraph = 0] = pauses("One. Two.\n\nThree.");
    expect(paragraph).toBeGreaterThan(sentence);
    expect(pauses("One. Two.\n\nThree.", 2)[0]).toBeCloseTo(sentence / 2);
  });

  it("are as long as the script requests, whatever the text and the speed", () => {
    expect(
      pauses("One. [pause 1.5s] Two.\n\n[pause 3s]\n[pause 500ms]\nThree.", 2).slice(0, 2),
    ).toEqual([1.5, 3.5]);
    expect(pauses("One. [pause] Two.")[0]).toBe(1);
    expect(pauses("One. [pause 900 s] Two.")[0]).toBe(60);
  });

  it("can be within a sentence and are not spoken", () => {
    expect(texts("Wait [pause 2s] for it.")).toEqual(["Wait", "for it."]);
  });

  it("are longer for a row of asterisks", () => {
    const [before = 0] = pauses("One.\n\n* * *\n\nTwo.");
    expect(before).toBeGreaterThan(1);
    expect(texts("One.\n\n* * *\n\nTwo.")).toEqual(["One.", "Two."]);
  });
});

it("rejects a script with more sentences than a narration allows", () => {
  expect(texts("Hi.\n\n".repeat(1_000))).toHaveLength(1_000);
  expect(() => read("Hi.\n\n".repeat(maxScriptSentences + 1))).toThrow(
    expect.objectContaining({ key: "string_too_long" }),
  );
});

it("finds unpronounceable words next to a word of millions of characters", () => {
  expect([
    ...runToCompletion(findUnpronounceableWordsInSteps(`a${"\u0301".repeat(4_900_000)} мир`)),
  ]).toEqual(["мир"]);
});

it.each([
  ["# The Start ##  ", "The Start"],
  ["# The # Start", "The # Start"],
  ["# In C#", "In C#"],
])("reads a heading without the marks that close it: %s", (script, title) => {
  expect(read(script)[0]?.chapter).toBe(title);
});

it("starts chapters at headings", () => {
  const found = read("# The Start #\nHello.\n\n## Part 2. The end\nBye.");
  expect(found.map(({ text, chapter }) => [text, chapter])).toEqual([
    ["The Start", "The Start"],
    ["Hello.", undefined],
    ["Part 2.", "Part 2. The end"],
    ["The end", undefined],
    ["Bye.", undefined],
  ]);
});

it("returns the position of each sentence in the script", () => {
  const script =
    "# Title\r\n\r\n[onyx]  First one. Second\r\nhalf of it goes on here for a while.\r\n[pause 1s] Third.";
  const found = read(script);
  expect(found.map(({ start, end }) => script.slice(start, end))).toEqual([
    "Title",
    "First one.",
    "Second\r\nhalf of it goes on here for a while.",
    "Third.",
  ]);
  expect(found[2]?.text).toBe("Second half of it goes on here for a while.");
});

it("never splits inline phonemes", () => {
  const link = "[Dr. Who? No. One](/dˈɑktəɹ. hˈu? nˈoʊ. wˈʌn/)";
  const [only, ...others] = read(`So ${link} came by.`);
  expect(others).toEqual([]);
  expect(only).toMatchObject({
    text: `So ${link} came by.`,
    written: "So Dr. Who? No. One came by.",
  });
});

it("reads a script of 5,000 sentences in less than a second", async () => {
  const script = Array.from(
    { length: 5_000 },
    (_, place) => `[onyx] Sentence number ${place} of a long book. [pause 1s]`,
  ).join("\n");
  expect(await cpuMs(() => expect(read(script)).toHaveLength(5_000))).toBeLessThan(1000);
});

it("reads a heading with 200,000 spaces or marks in less than a second", async () => {
  for (const filler of [" ", "#"])
    expect(await cpuMs(() => read(`# A ${filler.repeat(200_000)}b`))).toBeLessThan(1000);
});

describe("pronunciations", () => {
  const pronounce = createPronouncer([
    { word: "Nguyen", says: "win" },
    { word: "New York", says: "old York" },
    { word: "New York City", says: "the city" },
    { word: "tomato", says: "/təmˈɑtoʊ/" },
    { word: "C++", says: "see plus plus" },
  ]);

  it("replace whole words by a respelling, ignoring case, the longest first", () => {
    expect(pronounce("NGUYEN's Nguyens, new  york and New York City; C++!")).toBe(
      "win's Nguyens, old York and the city; see plus plus!",
    );
  });

  it("add phonemes to the word as it is written", () => {
    expect(pronounce("A Tomato.")).toBe("A [Tomato](/təmˈɑtoʊ/).");
  });

  it("leave words unchanged that already have phonemes", () => {
    expect(pronounce("[tomato](/təmˈeɪtoʊ/)")).toBe("[tomato](/təmˈeɪtoʊ/)");
  });

  it("show the written form and synthesize the spoken one", () => {
    expect(read("Mr. Nguyen came.", { pronounce })[0]).toMatchObject({
      text: "Mr. win came.",
      written: "Mr. Nguyen came.",
    });
  });
});

it("lists each word in another alphabet once, without single Greek letters", () => {
  const steps = findUnpronounceableWordsInSteps("Привет, naïve π world, Привет 你好 Ελλάδα");
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  expect(step.value).toEqual(["Привет", "你好", "Ελλάδα"]);
});
