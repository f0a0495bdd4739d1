// Expands titles and abbreviations. The full stop of an abbreviation at the end of the text stays, since it also ends
// the sentence.

import {
  type NormalizationRule,
  alternationPattern,
  applyNormalizationRules,
} from "../../normalization/normalization-rules.ts";

const titles = new Map([
  ["Gov", "Governor"],
  ["Sen", "Senator"],
  ["Rep", "Representative"],
  ["Gen", "General"],
  ["Capt", "Captain"],
  ["Col", "Colonel"],
  ["Lt", "Lieutenant"],
  ["Sgt", "Sergeant"],
  ["Maj", "Major"],
  ["Adm", "Admiral"],
  ["Cmdr", "Commander"],
  ["Rev", "Reverend"],
  ["Hon", "Honorable"],
  ["Prof", "Professor"],
  ["Pres", "President"],
  ["Supt", "Superintendent"],
  ["Mt", "Mount"],
  ["Ft", "Fort"],
  ["Messrs", "Messieurs"],
  ["Fr", "Father"],
]);
const abbreviationsAfterNames = new Map([
  ["Jr", "Junior"],
  ["Sr", "Senior"],
  ["Inc", "Incorporated"],
  ["Ltd", "Limited"],
  ["Co", "Company"],
  ["Corp", "Corporation"],
  ["Bros", "Brothers"],
  ["Ave", "Avenue"],
  ["Blvd", "Boulevard"],
  ["Rd", "Road"],
  ["Hwy", "Highway"],
  ["Pkwy", "Parkway"],
  ["Dept", "Department"],
  ["Univ", "University"],
  ["Assn", "Association"],
  ["Apt", "Apartment"],
]);
const generalAbbreviations = new Map([
  ["approx", "approximately"],
  ["etc", "et cetera"],
  ["misc", "miscellaneous"],
  ["govt", "government"],
  ["dept", "department"],
  ["est", "established"],
  ["ext", "extension"],
]);
const abbreviationsBeforeNumbers = new Map([
  ["no", "number"],
  ["nos", "numbers"],
  ["fig", "figure"],
  ["figs", "figures"],
  ["vol", "volume"],
  ["vols", "volumes"],
  ["ch", "chapter"],
  ["chap", "chapter"],
  ["sec", "section"],
  ["art", "article"],
  ["p", "page"],
  ["pp", "pages"],
  ["pt", "part"],
  ["eq", "equation"],
  ["ver", "version"],
]);
const states = new Map([
  ["Calif", "California"],
  ["Mass", "Massachusetts"],
  ["Conn", "Connecticut"],
  ["Fla", "Florida"],
  ["Tex", "Texas"],
  ["Va", "Virginia"],
  ["Ga", "Georgia"],
  ["Ky", "Kentucky"],
  ["Tenn", "Tennessee"],
  ["Okla", "Oklahoma"],
  ["Ariz", "Arizona"],
  ["Colo", "Colorado"],
  ["Mich", "Michigan"],
  ["Minn", "Minnesota"],
  ["Wis", "Wisconsin"],
  ["Penn", "Pennsylvania"],
  ["Pa", "Pennsylvania"],
  ["Ill", "Illinois"],
  ["Wash", "Washington"],
  ["Ore", "Oregon"],
  ["Md", "Maryland"],
]);
const saintNames = alternationPattern(
  (
    "Louis Paul John Petersburg Mary Peter George Andrew Andrews Patrick James Francis Augustine Thomas Joseph " +
    "Michael Nicholas Helena Lucia Kitts Vincent Martin Moritz Tropez Ives Albans Charles Cloud Mark Matthew Luke " +
    "Stephen Anthony Bernard Catherine Clair Croix Denis Jerome Lawrence Pancras"
  ).split(" "),
);

/** A full stop that belongs only to the abbreviation, since text follows. */
const abbreviationStop = String.raw`\.(?!\s*["')\]]*$)`;
const createReplacer =
  (words: ReadonlyMap<string, string>) =>
  (_: string, word = ""): string =>
    words.get(word) ?? words.get(word.toLowerCase()) ?? word;

const rules: readonly NormalizationRule[] = [
  [new RegExp(String.raw`\bSt\.(?= (?:${saintNames})\b)`, "g"), "Saint"],
  [
    new RegExp(
      String.raw`(?<=(?:\p{Lu}[\p{L}']{0,30}|\d(?:st|nd|rd|th)) )St(?:${abbreviationStop})?(?![\p{L}'])`,
      "gu",
    ),
    "Street",
  ],
  [/\bSt\.(?= \p{Lu})/gu, "Saint"],
  [
    new RegExp(
      String.raw`(?<=\p{Lu}[\p{L}']{1,30} )Dr(?:${abbreviationStop}|(?=\.\s*["')\]]*$))(?! \p{Lu})`,
      "gu",
    ),
    "Drive",
  ],
  [/\b(Dr|Mr|Mrs|Ms)(?=\s+\p{Lu})/gu, "$1."],
  [
    new RegExp(String.raw`\b(${alternationPattern(titles.keys())})\.(?=\s+\p{Lu})`, "gu"),
    createReplacer(titles),
  ],
  [
    new RegExp(String.raw`(?<=, )(${alternationPattern(states.keys())})${abbreviationStop}`, "g"),
    createReplacer(states),
  ],
  [
    new RegExp(
      String.raw`(?<=[\p{L}\d],? )(${alternationPattern(abbreviationsAfterNames.keys())})${abbreviationStop}`,
      "gu",
    ),
    createReplacer(abbreviationsAfterNames),
  ],
  [
    new RegExp(
      String.raw`\b(${alternationPattern(abbreviationsAfterNames.keys())})(?=\.\s*["')\]]*$)`,
      "g",
    ),
    createReplacer(abbreviationsAfterNames),
  ],
  [
    new RegExp(
      String.raw`(?<![\p{L}.])(${alternationPattern(abbreviationsBeforeNumbers.keys())})\.\s?(?=[#(]?\d)`,
      "giu",
    ),
    (_, word = "") => `${abbreviationsBeforeNumbers.get(word.toLowerCase()) ?? word} `,
  ],
  [
    new RegExp(
      String.raw`(?<![\p{L}.])(${alternationPattern(generalAbbreviations.keys())})${abbreviationStop}`,
      "gu",
    ),
    createReplacer(generalAbbreviations),
  ],
  [
    new RegExp(
      String.raw`(?<![\p{L}.])(${alternationPattern(generalAbbreviations.keys())})(?=\.\s*["')\]]*$)`,
      "gu",
    ),
    createReplacer(generalAbbreviations),
  ],
  [/№\s?/g, "number "],
  [/(?<![\p{L}\d])w\/o(?![\p{L}\d])/gu, "without"],
  [/(?<![\p{L}\d])w\/(?=\s?[\p{L}\d])/gu, "with "],
  // An initial's full stop is not a pause.
  [/(?<![\p{L}.])(\p{Lu})\.(?=\s+\p{Lu})/gu, "$1"],
  // Also before a digit or sign: "vs. 2.1%".
  [/\bvs\.(?=\s)/gi, "versus"],
];

export function expandAbbreviations(text: string): string {
  return applyNormalizationRules(text, rules);
}
