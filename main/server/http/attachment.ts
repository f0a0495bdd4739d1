// Names of files that leave the app, made from titles that people or other programs wrote.

/** What Windows, macOS and Linux all take for the name of a file or folder; never empty. */
export function safeFileName(title: string): string {
  const name = title
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}/\\:*?"<>|]+/gu, " ")
    .replaceAll(/\s+/g, " ")
    .replace(/^[. ]+/, "");
  // Bytes count on Linux: 255 of them, of which an ending and a number may want some.
  let shortened = "";
  for (const character of name) {
    if (Buffer.byteLength(shortened + character) > 200) break;
    shortened += character;
  }
  shortened = shortened.replace(/[. ]+$/, "");
  if (shortened === "") return "Untitled";
  return /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(shortened) ? `_${shortened}` : shortened;
}

/** `content-disposition` as RFC 6266 has it: the name in ASCII for old programs, then as it is. */
export function attachmentHeader(name: string): { "content-disposition": string } {
  const ascii = name
    .normalize("NFKD")
    .replaceAll(/[^\x20-\x7e]/g, "")
    .replaceAll(/["\\%]/g, "")
    .trim();
  const encoded = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return {
    "content-disposition": `attachment; filename="${ascii.startsWith(".") || ascii === "" ? `file${ascii}` : ascii}"; filename*=UTF-8''${encoded}`,
  };
}
