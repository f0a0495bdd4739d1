// Abbreviations → words, by a table. The full stop of an abbreviation at the end of the text stays, since it also ends
// the sentence.

import {
  type NormalizationRule,
  alternationPattern,
  applyNormalizationRules,
  textEndPattern,
} from "./normalization-rules.ts";

/** Written → spoken. A space may be left out; forms with a capital are added to those without. */
type AbbreviationTable = Readonly<Record<string, string>>;

export type Abbreviations = {
  readonly anywhere: AbbreviationTable;
  /** Only before a capital: "D. Juan", "M. Dupont". */
  readonly beforeNames: AbbreviationTable;
  /** Only before a number, Roman ones included: "p. 5", "art. 5". */
  readonly beforeNumbers: AbbreviationTable;
};

const squeeze = (written: string): string => written.replace(/[ .]/g, "");

/** Any of the forms, the longest first; their inner spaces may be left out. */
const toPattern = (forms: readonly string[]): string =>
  `(?:${alternationPattern(forms).replaceAll(" ", " ?")})`;

/** @param ahead what must follow; a space that was left out before it ("n.º5") is added */
function createRule(table: AbbreviationTable, ahead = ""): NormalizationRule {
  const forms = Object.keys(table).flatMap((written) => [
    written,
    written.charAt(0).toUpperCase() + written.slice(1),
  ]);
  const spokenByForm = new Map(
    Object.entries(table).map(([written, spoken]) => [squeeze(written), spoken]),
  );
  const stopped = forms.filter((form) => form.endsWith(".")).map((form) => form.slice(0, -1));
  const plain = forms.filter((form) => !form.endsWith("."));
  const patterns = [
    ...(plain.length === 0 ? [] : [String.raw`${toPattern(plain)}(?![\p{L}\p{N}.])`]),
    ...(stopped.length === 0
      ? []
      : [String.raw`${toPattern(stopped)}(?:\.(?!${textEndPattern})|(?=\.${textEndPattern}))`]),
  ];
  return [
    new RegExp(
      String.raw`(?<![\p{L}\p{N}.])(?:${patterns.join("|")})${ahead === "" ? "" : ` ?(?=${ahead})`}`,
      "gu",
    ),
    (all) => {
      const form = squeeze(all);
      const spoken =
        spokenByForm.get(form) ?? spokenByForm.get(form.charAt(0).toLowerCase() + form.slice(1));
      return (spoken ?? all) + (ahead === "" ? "" : " ");
    },
  ];
}

export function createAbbreviationReader({
  anywhere,
  beforeNames,
  beforeNumbers,
}: Abbreviations): (text: string) => string {
  const rules: NormalizationRule[] = [
    createRule(beforeNumbers, String.raw`\d|[IVXLC]{1,8}(?!\p{L})`),
    createRule(anywhere),
    createRule(beforeNames, String.raw`\p{Lu}`),
  ];
  return (text) => applyNormalizationRules(text, rules);
}
