import { describe, expect, it } from "vitest";
import { normalizeText } from "../../../main/text/normalize-text.ts";
import { britishCases } from "../../support/reading-cases/british-english.ts";
import { frenchCases } from "../../support/reading-cases/french.ts";
import { hindiCases } from "../../support/reading-cases/hindi.ts";
import { italianCases } from "../../support/reading-cases/italian.ts";
import { portugueseCases } from "../../support/reading-cases/portuguese.ts";
import type { ReadingCases } from "../../support/reading-cases/reading-case.ts";
import { spanishCases } from "../../support/reading-cases/spanish.ts";

const casesByLanguage: readonly (readonly [language: string, cases: ReadingCases])[] = [
  ["en-GB", britishCases],
  ["hi", hindiCases],
  ["es", spanishCases],
  ["fr", frenchCases],
  ["it", italianCases],
  ["pt-BR", portugueseCases],
];
/** Letters only: "vingt-deux" sounds like "vingt deux". */
const soundOf = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{M}\d]/gu, "");

describe.each(casesByLanguage)("a text in %s", (language, { development, heldOut }) => {
  it.each([...development, ...heldOut])("is read as listed: %s", (written, spoken) => {
    const read = normalizeText(written, language);
    expect(soundOf(read) === soundOf(spoken) ? spoken : read).toBe(spoken);
  });
});
