// Text as the full-text index holds it, and back. SQLite's tokenizer makes one word of a whole line of Chinese or
// Thai, as these are written without spaces: an invisible one stands between their letters there.

const invisibleSpace = "\u200b";
/** Enclose a hit in a snippet. */
export const hitStart = "\u0001";
export const hitEnd = "\u0002";

const unspacedScripts = String.raw`[\p{Script_Extensions=Han}\p{Script_Extensions=Hiragana}\p{Script_Extensions=Katakana}\p{Script_Extensions=Thai}\p{Script_Extensions=Lao}\p{Script_Extensions=Khmer}\p{Script_Extensions=Myanmar}]`;
const unspacedPattern = new RegExp(String.raw`(?=\p{L})${unspacedScripts}`, "gu");
/** Words as the index has them: each letter of a script without spaces is one. */
const wordPattern = new RegExp(
  String.raw`(?=\p{L})${unspacedScripts}|(?:(?!(?=\p{L})${unspacedScripts})[\p{L}\p{N}\p{M}\p{Co}])+`,
  "gu",
);

export const toIndexedText = (text: string): string =>
  text
    .replaceAll(/\p{Cc}|\u200b/gu, " ")
    .replace(unspacedPattern, `${invisibleSpace}$&${invisibleSpace}`);

export const toDisplayText = (snippet: string): string =>
  snippet.replaceAll(invisibleSpace, "").replaceAll(/\s+/g, " ").trim();

/** A word of a text: where it stands, and as SQLite compares words: without capitals, Latin letters without accents. */
export type IndexedWord = { readonly start: number; readonly end: number; readonly key: string };

export const splitIndexedWords = (text: string): IndexedWord[] =>
  Array.from(text.matchAll(wordPattern), ({ 0: word, index }) => ({
    start: index,
    end: index + word.length,
    key: word
      .normalize("NFD")
      .replaceAll(/([a-z])[\u0300-\u036f]+/gi, "$1")
      .normalize("NFC")
      .toLowerCase()
      .replaceAll("ß", "ss"),
  }));

/** What a person typed, in parts: words that follow each other; unless it stood in quotes, the last one is the beginning of one. */
export type SearchTerm = { readonly keys: readonly string[]; readonly isQuoted: boolean };

export const parseSearchTerms = (input: string): SearchTerm[] =>
  Array.from(input.matchAll(searchTermPattern), ([all, quoted]) => ({
    keys: splitIndexedWords(quoted ?? all).map(({ key }) => key),
    isQuoted: quoted !== undefined,
  })).filter(({ keys }) => keys.length > 0);

const searchTermPattern = /["“”„]([^"“”„]*)["“”„]?|[^\s"“”„]+/g;

/**
 * What a person typed as a query of FTS5 (https://sqlite.org/fts5.html#full_text_query_syntax): all words are wanted,
 * each is the beginning of one; what stands in quotes is wanted as it is. Undefined where there is no word.
 */
export function toFtsQuery(input: string): string | undefined {
  const terms = toFtsTerms(input);
  return terms.length === 0 ? undefined : terms.join(" AND ");
}

/** The same, each word or quotation by itself. */
export function toFtsTerms(input: string): string[] {
  const parts = Array.from(input.matchAll(searchTermPattern), ([all, quoted]) => {
    const text = toIndexedText(quoted ?? all);
    if (!/[\p{L}\p{N}]/u.test(text)) return undefined;
    const spellings = new Set([text, text.replaceAll("ß", "ss"), text.replaceAll(/ss/gi, "ß")]);
    return `(${Array.from(spellings, (spelling) => `"${spelling}"${quoted === undefined ? " *" : ""}`).join(" OR ")})`;
  });
  return parts.filter((part) => part !== undefined);
}
