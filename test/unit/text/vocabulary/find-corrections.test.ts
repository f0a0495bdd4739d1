import { describe, expect, it } from "vitest";
import {
  applyCorrections,
  chooseCorrections,
} from "../../../../main/text/vocabulary/apply-corrections.ts";
import { createCorrectionFinder } from "../../../../main/text/vocabulary/find-corrections.ts";
import { createTextSegment } from "../../../../main/contract/transcript.ts";

const entries = (...words: string[]) => words.map((word) => ({ word, heard: "" }));

/** In the dictionary is what is not listed. */
function correct(
  text: string,
  terms: readonly { word: string; heard: string }[],
  unknown: readonly string[] = [],
  hasNearSounds = true,
): string {
  const found = createCorrectionFinder(terms)(text, { hasNearSounds });
  const chosen = chooseCorrections(found, (word) => unknown.includes(word));
  return applyCorrections(createTextSegment(text, { startSec: 0, endSec: 1 }, "en"), chosen).text;
}

describe("corrections by sound", () => {
  it.each([
    ["Kubernetis", "Kubernetes"],
    ["Jurgensen", "Jørgensen"],
    ["Siobahn", "Siobhan"],
    ["Nakamoora", "Nakamura"],
    ["Tchaikovski", "Tchaikovsky"],
    ["Gernsheym", "Gernsheim"],
  ])("write %s as %s", (transcribed, word) => {
    const terms = entries(
      "Kubernetes",
      "Jørgensen",
      "Siobhan",
      "Nakamura",
      "Tchaikovsky",
      "Gernsheim",
    );
    expect(
      correct(`We met ${transcribed}'s people, and ${transcribed}.`, terms, [transcribed]),
    ).toBe(`We met ${word}'s people, and ${word}.`);
  });

  it("find a term of other words", () => {
    const terms = entries("Elasticsearch", "Terraform");
    expect(correct("with elastik search and terra phorm", terms, ["elastik", "phorm"])).toBe(
      "with Elasticsearch and Terraform",
    );
  });

  it("leave words of the dictionary, short words, and what only looks alike", () => {
    const terms = entries("Marlowe", "Tran", "Postgres", "Ghost");
    expect(correct("Mellow, train, postures", terms)).toBe("Mellow, train, postures");
    const unknown = ["Trann", "posturas", "Goat"];
    expect(correct("Trann posturas", terms.slice(2), unknown)).toBe("Trann posturas");
  });

  it("do not join words over a comma or a full stop", () => {
    expect(correct("Terra. Forme", entries("Terraform"), ["Terra", "Forme"])).toBe("Terra. Forme");
  });

  it("leave a word that is equally near to two terms", () => {
    expect(correct("Meyar", entries("Meyer", "Meyor"), ["Meyar"])).toBe("Meyar");
  });

  it("are not looked for where the sounds are not English", () => {
    expect(correct("Jurgensen", entries("Jørgensen"), ["Jurgensen"], false)).toBe("Jurgensen");
  });
});

describe("corrections by spelling", () => {
  it("restore case, hyphens, accents and spaces", () => {
    const terms = entries("GraphQL", "Ocasio-Cortez", "Wójcik", "NextCloud");
    expect(correct("graph ql, Ocasio Cortez, Wojcik and Nextcloud", terms)).toBe(
      "GraphQL, Ocasio-Cortez, Wójcik and NextCloud",
    );
  });

  it("do not capitalize words of the dictionary, nor lower the start of a sentence", () => {
    expect(correct("Live, I will mark it", entries("Will", "Mark", "live"))).toBe(
      "Live, I will mark it",
    );
    expect(correct("ask hearsay", entries("Hearsay"), ["hearsay"])).toBe("ask Hearsay");
  });

  it("always replace what was corrected before, longest first", () => {
    const terms = [
      { word: "PyTorch", heard: "pie torch" },
      { word: "Claude", heard: "Clod" },
    ];
    expect(correct("Pie torch and clod’s pie", terms, [], false)).toBe("PyTorch and Claude’s pie");
  });

  it("leave what is written as a term already", () => {
    const terms = [...entries("Anna Lindqvist"), { word: "Hannah", heard: "Anna" }];
    expect(correct("Anna Lindqvist and Anna", terms)).toBe("Anna Lindqvist and Hannah");
  });
});

it("keeps the times of words, and what was heard", () => {
  const text = "Use pie torch, Jurgensen.";
  const words = [" Use", " pie", " torch,", " Jurgensen."].map((word, index) => ({
    word,
    startSec: index,
    endSec: index + 0.5,
    probability: 1 - index / 10,
  }));
  const segment = { ...createTextSegment(text, { startSec: 0, endSec: 4 }, "en"), words };
  const terms = [
    { word: "PyTorch", heard: "pie torch" },
    { word: "Jørgensen", heard: "Jurgensen" },
  ];
  const found = createCorrectionFinder(terms)(text, { hasNearSounds: false });
  const corrected = applyCorrections(
    segment,
    chooseCorrections(found, () => false),
  );
  expect(corrected.text).toBe("Use PyTorch, Jørgensen.");
  expect(corrected.words).toEqual([
    words[0],
    { word: " PyTorch,", heard: "pie torch,", startSec: 1, endSec: 2.5, probability: 0.8 },
    { word: " Jørgensen.", heard: "Jurgensen.", startSec: 3, endSec: 3.5, probability: 0.7 },
  ]);
  // Nothing was changed in place.
  expect(words[1]).toMatchObject({ word: " pie", endSec: 1.5 });
});
