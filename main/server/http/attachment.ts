// File names for downloads, made from titles that people or other programs wrote.

/** Windows takes these for devices, with any extension and spaces before it. */
const deviceName = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[\d¹²³]) *(?:\.|$)/i;

/** A valid file or folder name on Windows, macOS and Linux; never empty. */
export function safeFileName(title: string): string {
  const name = title
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}/\\:*?"<>|]+/gu, " ")
    .replaceAll(/\s+/g, " ")
    .replace(/^[. ]+/, "");
  // Linux allows 255 bytes; the rest is for an extension or a number.
  let shortened = "";
  for (const character of name) {
    if (Buffer.byteLength(shortened + character) > 200) break;
    shortened += character;
  }
  shortened = shortened.replace(/[. ]+$/, "");
  if (shortened === "") return "Untitled";
  return deviceName.test(shortened) ? `_${shortened}` : shortened;
}

/** `content-disposition` as in RFC 6266: an ASCII name for old programs, then the full name. */
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
  const fallback = ascii.startsWith(".") || ascii === "" ? `file${ascii}` : ascii;
  return {
    "content-disposition": `attachment; filename="${fallback}"; filename*=UTF-8''${encoded}`,
  };
}
