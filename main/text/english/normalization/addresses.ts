// Web and e-mail addresses, handles, hashtags and file names as people say them: `help at example dot org`.

import {
  type NormalizationRule,
  applyNormalizationRules,
  spellLetters,
} from "./normalization-rules.ts";

const countryDomains = new Set("uk de fr eu io ai tv us ca nl ch jp cn ru it es".split(" "));
const signNames = new Map([
  [".", "dot"],
  ["@", "at"],
  ["/", "slash"],
  [":", "colon"],
  ["_", "underscore"],
  ["-", "dash"],
  ["?", "question mark"],
  ["=", "equals"],
  ["&", "and"],
  ["#", "hash"],
  ["+", "plus"],
  ["%", "percent"],
  ["~", "tilde"],
]);

const hostPattern = String.raw`(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24}`;
const commonTopLevelPattern = "(?:com|org|net|edu|gov|io|co|ai|dev|app|info|biz|uk|de|fr|eu)";
const commonHostPattern = hostPattern.replace("[a-z]{2,24}", commonTopLevelPattern);
const pathPattern = String.raw`(?:/[\w\-./%?=&#~+]{0,500})?`;
const rules: readonly NormalizationRule[] = [
  [
    new RegExp(String.raw`(?<![\w.@-])[\w.+-]{1,64}@${hostPattern}(?![\w@])`, "gi"),
    (address) => expandAddress(address),
  ],
  // The scheme is not spoken.
  [
    new RegExp(String.raw`(?<![\w@])(?:https?|ftp|wss?)://([^\s"'<>()[\]{}]{1,2000})`, "gi"),
    (_, address = "") => expandUrl(address),
  ],
  [
    new RegExp(
      String.raw`(?<![\w.@/-])(www\.${hostPattern}|${commonHostPattern})(${pathPattern})(?![\w@])`,
      "gi",
    ),
    (_, name = "", path = "") => expandUrl(name + path),
  ],
  [
    /(?<![\w@#&])#(\p{L}[\p{L}\p{N}_]{0,100})/gu,
    (_, tag = "") => `hashtag ${tag.replaceAll("_", " ")}`,
  ],
  [
    /(?<![\p{L}\p{N}_@.])@([\p{L}\p{N}_]{1,50})/gu,
    (_, handle = "") => `at ${handle.replaceAll("_", " ")}`,
  ],
  [/(?<=[\p{L}\p{N}])\.js\b/giu, " JS"],
  [/(?<![\p{L}\p{N}])\.(?=NET\b)/gu, "dot "],
  [/(?<=[\p{L}\d]{2})\.(?=\p{Ll}{2,4}(?![\p{L}.]))/gu, " dot "],
];

export function expandAddresses(text: string): string {
  return applyNormalizationRules(text, rules);
}

function expandUrl(url: string): string {
  const [, address = "", stop = ""] = /^(.*?)([.,;:!?]*)$/s.exec(url) ?? [];
  return expandAddress(address.replace(/\/$/, "")) + stop;
}

/** Country codes and labels without a vowel are spelled, punctuation is named. */
function expandAddress(address: string): string {
  return address
    .replace(/[a-z\d]+|[^a-z\d]/gi, (part, at: number) => {
      if (at > 0 && address[at - 1] === "." && countryDomains.has(part.toLowerCase()))
        return spellLetters(part);
      if (/^[b-df-hj-np-tv-xz]{2,4}$/i.test(part) && !/^(?:mr|mrs|dr|st)$/i.test(part))
        return spellLetters(part);
      const sign = signNames.get(part);
      return sign === undefined ? part : ` ${sign} `;
    })
    .replace(/ {2,}/g, " ")
    .trim();
}
