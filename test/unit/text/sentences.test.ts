import { describe, expect, it } from "vitest";
import { splitFirstClause, splitSentences } from "../../../main/text/sentences.ts";
import { cpuMs } from "../../support/cpu-time.ts";

const texts = (text: string): string[] => splitSentences(text).map((sentence) => sentence.text);
const apart = (text: string): string[] =>
  splitFirstClause(splitSentences(text)).map((sentence) => sentence.text);
const solid = (text: string): string => text.replace(/\s/g, "");

describe("the end of a sentence", () => {
  it("is at full stops, question marks and exclamation marks", () => {
    expect(texts("It rained. Did it? It did! Good")).toEqual([
      "It rained.",
      "Did it?",
      "It did!",
      "Good",
    ]);
  });

  it("is not after titles, initials and abbreviations before names and numbers", () => {
    const sentence =
      "Dr. Smith met J. K. Rowling, Mrs. Hall vs. Prof. X, e.g. on St. James St. near No. 5, Fig. 3.";
    expect(texts(sentence)).toEqual([sentence]);
  });

  it("is after an abbreviation when a new sentence clearly starts", () => {
    expect(
      texts("He lives in the U.S. He left at 5 p.m. The U.S. Army came, etc. But why?"),
    ).toEqual([
      "He lives in the U.S.",
      "He left at 5 p.m.",
      "The U.S. Army came, etc.",
      "But why?",
    ]);
  });

  it('distinguishes the answer "No." from the number "No. 5"', () => {
    expect(texts("No. He said no. See No. 5.")).toEqual(["No.", "He said no.", "See No. 5."]);
  });

  it("is not inside decimals, versions, e-mail and web addresses", () => {
    const sentence = "Write to me@x.com or www.example.com about 3.14, v2.0.1 and $5.99.";
    expect(texts(sentence)).toEqual([sentence]);
  });

  it("is after closing quotes and brackets, and not before a lower-case word", () => {
    expect(texts('"Really?" he asked. (It was.) “Go.” Yahoo! is it.')).toEqual([
      '"Really?" he asked.',
      "(It was.)",
      "“Go.”",
      "Yahoo! is it.",
    ]);
  });

  it("is at an ellipsis before a capital, and not before a lower-case letter", () => {
    expect(texts("Wait… what? She left... Then came back.")).toEqual([
      "Wait… what?",
      "She left...",
      "Then came back.",
    ]);
  });

  it("needs no space in Chinese and Japanese", () => {
    expect(texts("你好。再见！")).toEqual(["你好。", "再见！"]);
  });
});

describe("the end of a sentence in another language", () => {
  it.each([
    [
      "es",
      [
        "El Sr. García vive en la Avda. de América, n.º 5.",
        "¿Vienes?",
        "¡Sí!",
        "Hay pan, etc.",
        "Luego vino.",
      ],
    ],
    ["es", ["Los EE. UU. y la S. A. firmaron, p. ej. en mayo.", "«¿De veras?» preguntó."]],
    [
      "fr",
      [
        "« Viens ! » dit-il à M. Dupont.",
        "Mme Roux, p. ex. à la p. 12, partit.",
        "« Non. »",
        "Il resta.",
      ],
    ],
    ["fr", ["En 52 av. J.-C. tout changea, cf. art. 5.", "Vraiment ?", "Oui."]],
    ["it", ["Il sig. Rossi e la sig.ra Bianchi, dott. Verdi.", "Pane, ecc.", "Poi nulla."]],
    ["pt", ["O Sr. Silva mora na Av. Paulista, nº 5, ap. 3.", "Você vem?", "Ela disse: “Sim.”"]],
    ["hi", ["यह पहला वाक्य है।", "यह दूसरा है।"]],
    ["de", ["„Komm.“", "Er ging."]],
  ] as const)("is found in %s: %j", (language, sentences) => {
    expect(splitSentences(sentences.join(" "), () => language).map(({ text }) => text)).toEqual(
      sentences,
    );
  });
});

describe("paragraphs", () => {
  it("end after a heading without a full stop and after each list item", () => {
    const sentences = splitSentences(
      "Chapter One\nIt was a dark night. The wind blew.\n\n- first thing\n- second thing\n1. Wash it.",
    );
    expect(sentences.map(({ text, paragraphEnd }) => [text, paragraphEnd])).toEqual([
      ["Chapter One", true],
      ["It was a dark night.", false],
      ["The wind blew.", true],
      ["- first thing", true],
      ["- second thing", true],
      ["1. Wash it.", true],
    ]);
  });

  it("include lines that were only wrapped", () => {
    const wrapped =
      "The quick brown fox jumped over the lazy dog and then it ran\n" +
      "into the dark forest, where nobody ever saw the fox again at\nall.";
    expect(texts(wrapped)).toEqual([wrapped]);
  });

  it("are long lines", () => {
    const line = `${"word ".repeat(30)}end.`;
    expect(splitSentences(`${line}\n${line}`).map((sentence) => sentence.paragraphEnd)).toEqual([
      true,
      true,
    ]);
  });
});

describe("sentences that are too long", () => {
  it("are split at a semicolon rather than a comma, and at a comma rather than a space", () => {
    const half = `${"word ".repeat(20)}word, ${"word ".repeat(12)}word`;
    const [first, second] = texts(`${half}; ${half}.`);
    expect(first).toBe(`${half};`);
    expect(second).toBe(`${half}.`);
    expect(texts(`${"word ".repeat(32)}word, ${"word ".repeat(32)}word.`)[0]).toMatch(/word,$/);
  });

  it("are split at spaces where there is nothing better, and anywhere where there is no space", () => {
    for (const sentence of texts("word ".repeat(500))) expect(sentence).toMatch(/^word( word)*$/);
    expect(texts("x".repeat(1000)).map((part) => part.length)).toEqual([300, 300, 300, 100]);
  });

  it("are never split inside a surrogate pair", () => {
    for (const part of texts("😀".repeat(1000))) expect(part.isWellFormed()).toBe(true);
    for (const part of texts(`x${"😀".repeat(1000)}`)) expect(part.isWellFormed()).toBe(true);
  });
});

describe("any text", () => {
  const hostile = [
    ".".repeat(100_000),
    ". ".repeat(50_000),
    "x".repeat(1_000_000),
    '"'.repeat(100_000),
    '."'.repeat(50_000),
    ". (".repeat(30_000),
    "a\n".repeat(50_000),
    " ".repeat(1_000_000),
    "1. ".repeat(30_000),
    `${"(".repeat(100_000)}.`,
    "He said no. ".repeat(85_000),
  ];

  it.each(hostile.map((text) => [text.slice(0, 12), text] as const))(
    "is split fast and without loss: repeated %j",
    async (_, text) => {
      let sentences: ReturnType<typeof splitSentences> = [];
      expect(await cpuMs(() => (sentences = splitSentences(text)))).toBeLessThan(2000);
      expect(solid(sentences.map((sentence) => sentence.text).join(""))).toBe(solid(text));
      expect(sentences.filter((sentence) => sentence.text.length > 300)).toEqual([]);
      expect(
        sentences.filter((sentence) => text.slice(sentence.start, sentence.end) !== sentence.text),
      ).toEqual([]);
    },
  );

  it("of random characters keeps every character in order", () => {
    let seed = 7;
    const random = (below: number): number =>
      (seed = (seed * 1103515245 + 12345) % 2147483648) % below;
    const alphabet = [
      "a",
      "B",
      ".",
      ". ",
      "!",
      "…",
      '"',
      "'",
      "(",
      ")",
      " ",
      "\n",
      "\n\n",
      "\r\n",
      "1",
      "Mr. ",
      "U.S. ",
      "\u2028",
      "\u0000",
      "日",
      "。",
      "\ud800",
      "— ",
      "; ",
      ", ",
    ];
    for (let round = 0; round < 300; round++) {
      const text = Array.from(
        { length: random(600) },
        () => alphabet[random(alphabet.length)],
      ).join("");
      const sentences = splitSentences(text);
      expect(solid(sentences.map((sentence) => sentence.text).join(""))).toBe(solid(text));
      expect(sentences.at(-1)?.paragraphEnd ?? true).toBe(true);
    }
  });

  it("of only white space has no sentences", () => {
    expect(splitSentences(" \n\t\r\n ")).toEqual([]);
    expect(splitSentences("")).toEqual([]);
  });
});

describe("the first clause", () => {
  it("is separated where more than one sentence follows, and nothing is lost", () => {
    const text =
      "The ferry leaves the harbor every morning, just as the light touches the roofs. Nobody waits.";
    expect(apart(text)).toEqual([
      "The ferry leaves the harbor every morning,",
      "just as the light touches the roofs.",
      "Nobody waits.",
    ]);
    for (const sentence of splitFirstClause(splitSentences(`  ${text}`)))
      expect(`  ${text}`.slice(sentence.start, sentence.end)).toBe(sentence.text);
  });

  it.each([
    [
      "a single sentence",
      "The ferry leaves the harbor every morning, just as the light touches the roofs.",
    ],
    [
      "a clause too short",
      "In summer, the ferry leaves the harbor every morning before breakfast. Nobody waits.",
    ],
    ["a rest too short", "The ferry leaves the old harbor every morning, at six. Nobody waits."],
    ["a date", "The ferry left the harbor on March 5, 2026 in the early morning. Nobody waited."],
    ["no sentence", " "],
  ])("is not separated in %s", (_, text) => {
    expect(apart(text)).toEqual(texts(text));
  });

  it("leaves the end of a paragraph with the rest", () => {
    const sentences = splitFirstClause(
      splitSentences(
        "The ferry leaves the harbor every morning, just as the light touches the roofs.\n\nNobody waits.",
      ),
    );
    expect(sentences.map(({ paragraphEnd }) => paragraphEnd)).toEqual([false, true, true]);
  });
});
