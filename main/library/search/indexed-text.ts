// Converts text to the form stored in the full-text index, and back. SQLite's tokenizer splits at spaces, which scripts
// such as Chinese and Thai do not use, so each of their letters gets zero-width spaces around it.

const invisibleSpace = "\u200b";
/** Markers around a hit in a snippet. */
export const hitStart = "\u0001";
export const hitEnd = "\u0002";

const unspacedScripts = `[${["Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar"]
  .map((script) => String.raw`\p{Script_Extensions=${script}}`)
  .join("")}]`;
const unspacedPattern = new RegExp(String.raw`(?=\p{L})${unspacedScripts}`, "gu");

export const toIndexedText = (text: string): string =>
  text
    .replaceAll(/\p{Cc}|\u200b/gu, " ")
    .replace(unspacedPattern, `${invisibleSpace}$&${invisibleSpace}`);

export const toDisplayText = (snippet: string): string =>
  snippet.replaceAll(invisibleSpace, "").replaceAll(/\s+/g, " ").trim();

const searchTermPattern = /["“”„]([^"“”„]*)["“”„]?|[^\s"“”„]+/g;

/**
 * Converts user input to an FTS5 query (https://sqlite.org/fts5.html#full_text_query_syntax): all words are required,
 * each as a prefix; quoted text must match exactly. Undefined if the input has no word.
 */
export function toFtsQuery(input: string): string | undefined {
  const terms = toFtsTerms(input);
  return terms.length === 0 ? undefined : terms.join(" AND ");
}

/** The same as `toFtsQuery`, one query per word or quotation. */
export function toFtsTerms(input: string): string[] {
  const parts = Array.from(input.matchAll(searchTermPattern), ([all, quoted]) => {
    const text = toIndexedText(quoted ?? all);
    if (!/[\p{L}\p{N}]/u.test(text)) return undefined;
    const spellings = new Set([text, text.replaceAll("ß", "ss"), text.replaceAll(/ss/gi, "ß")]);
    return `(${Array.from(spellings, (spelling) => `"${spelling}"${quoted === undefined ? " *" : ""}`).join(" OR ")})`;
  });
  return parts.filter((part) => part !== undefined);
}
