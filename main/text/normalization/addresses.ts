// Web and e-mail addresses, handles and hashtags as people say them: `help at example dot org`.

import type { NormalizationRule } from "./normalization-rules.ts";

export type AddressWords = {
  readonly signNames: ReadonlyMap<string, string>;
  /** A run of letters and digits; `isDomain`: after a full stop. */
  readonly readLabel: (label: string, isDomain: boolean) => string;
  /** Domains that make an address of a name without "www.", besides the international ones: `es|mx`. */
  readonly countryDomains?: string;
  readonly hashtag: string;
  /** Before a handle: "@name". */
  readonly at: string;
};

const hostPattern = String.raw`(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24}`;
const commonTopLevels = "com|org|net|edu|gov|io|co|ai|dev|app|info|biz|uk|de|fr|eu";
const pathPattern = String.raw`(?:/[\w\-./%?=&#~+]{0,500})?`;

export function createAddressRules(words: AddressWords): NormalizationRule[] {
  const readUrl = (url: string): string => {
    const [, address = "", stop = ""] = /^(.*?)([.,;:!?]*)$/s.exec(url) ?? [];
    return readAddress(address.replace(/\/$/, ""), words) + stop;
  };
  const commonHostPattern = hostPattern.replace(
    "[a-z]{2,24}",
    `(?:${commonTopLevels}|${words.countryDomains ?? "com"})`,
  );
  return [
    [
      new RegExp(String.raw`(?<![\w.@-])[\w.+-]{1,64}@${hostPattern}(?![\w@])`, "gi"),
      (address) => readAddress(address, words),
    ],
    // The scheme is not spoken.
    [
      new RegExp(String.raw`(?<![\w@])(?:https?|ftp|wss?)://([^\s"'<>()[\]{}]{1,2000})`, "gi"),
      (_, address = "") => readUrl(address),
    ],
    [
      new RegExp(
        String.raw`(?<![\w.@/-])(www\.${hostPattern}|${commonHostPattern})(${pathPattern})(?![\w@])`,
        "gi",
      ),
      (_, name = "", path = "") => readUrl(name + path),
    ],
    [
      /(?<![\w@#&])#(\p{L}[\p{L}\p{N}_]{0,100})/gu,
      (_, tag = "") => `${words.hashtag} ${tag.replaceAll("_", " ")}`,
    ],
    [
      /(?<![\p{L}\p{N}_@.])@([\p{L}\p{N}_]{1,50})/gu,
      (_, handle = "") => `${words.at} ${handle.replaceAll("_", " ")}`,
    ],
  ];
}

function readAddress(address: string, { signNames, readLabel }: AddressWords): string {
  return address
    .replace(/[a-z\d]+|[^a-z\d]/gi, (part, at: number) => {
      if (/^[a-z\d]/i.test(part)) return readLabel(part, at > 0 && address[at - 1] === ".");
      const sign = signNames.get(part);
      return sign === undefined ? part : ` ${sign} `;
    })
    .replace(/ {2,}/g, " ")
    .trim();
}
