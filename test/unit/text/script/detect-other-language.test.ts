import { expect, it } from "vitest";
import { detectOtherLanguage } from "../../../../main/text/script/detect-other-language.ts";
import { tenSentences } from "../../../support/english-texts.ts";

it.each([
  ["de", "Guten Morgen! Wie geht es dir heute?"],
  [
    "de",
    "Am Abend ging der alte Mann zum Fluss hinunter und setzte sich auf einen Stein, um dem Wasser zuzusehen.",
  ],
  [
    "fr",
    "Le soir, le vieil homme descendait vers la rivière et s’asseyait sur une pierre pour regarder l’eau couler.",
  ],
  [
    "es",
    "Por la tarde, el viejo bajaba hasta el río y se sentaba en una piedra para mirar cómo corría el agua.",
  ],
  [
    "it",
    "La sera il vecchio scendeva al fiume e si sedeva su una pietra per guardare l’acqua che scorreva.",
  ],
  [
    "pt",
    "À tarde, o velho descia até ao rio e sentava-se numa pedra para ver a água que corria, mas não dizia nada.",
  ],
])('detects %s: "%s"', (code, script) => {
  expect(detectOtherLanguage(script)).toBe(code);
});

it.each([
  "",
  "Hello.",
  tenSentences,
  "Let us die another day, as I said to Müller in the café: la vie est belle.",
  "El Niño and La Niña are the names of two patterns. Los Angeles and Las Vegas saw rain.",
  '# Chapter one\n\n[onyx] "Good morning," said the boatman. [pause 2s] "Where do you want to go?"',
  "Der Spiegel, Die Zeit, Le Monde, El País.",
  "Buy milk, eggs, bread.",
  "Kyrie eleison.",
])('detects nothing in "%s"', (script) => {
  expect(detectOtherLanguage(script)).toBeUndefined();
});
