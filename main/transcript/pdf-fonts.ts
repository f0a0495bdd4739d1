// Fonts for PDF files: one for European scripts comes with the app, those for others are the system's. What no font has
// is refused, since it would come out as empty boxes.

import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import type { Font } from "fontkit";
import { AppError } from "../contract/errors.ts";

export type PdfFont = {
  /** Unique among the fonts of a file. */
  readonly name: string;
  readonly bytes: Uint8Array;
  /** The font of a collection. */
  readonly postscriptName?: string;
  has(codePoint: number): boolean;
};

export type PdfFonts = {
  /** The first font that has all of the characters; `preferred` if it does. @throws AppError */
  find(text: string, isBold: boolean, preferred?: PdfFont): PdfFont;
};

const shippedScripts = ["latin", "latin-ext", "cyrillic", "cyrillic-ext", "greek", "vietnamese"];

/** @param folders where the system's fonts are */
export async function openPdfFonts(folders = systemFontFolders()): Promise<PdfFonts> {
  const { create } = await import("fontkit");
  const { resolve } = createRequire(import.meta.url);
  const openShipped = (weight: number): PdfFont[] =>
    shippedScripts.map((script) => {
      const file = `source-serif-4-${script}-${weight}-normal.woff`;
      const bytes = readFileSync(resolve(`@fontsource/source-serif-4/files/${file}`));
      return toFont(file, bytes, create(bytes) as Font);
    });
  const shipped = { regular: openShipped(400), bold: openShipped(700) };
  const found: PdfFont[] = [];
  const unread = systemFontFiles(folders);

  /** Damaged fonts, and those of kinds that cannot be embedded, are passed over. */
  function openSystemFonts(path: string): PdfFont[] {
    try {
      const bytes = readFileSync(path);
      const opened = create(bytes);
      if (!("fonts" in opened)) return [toFont(path, bytes, opened)];
      const [font] = opened.fonts;
      if (font === undefined) return [];
      const { postscriptName } = font;
      return [{ ...toFont(path, bytes, font), postscriptName }];
    } catch {
      return [];
    }
  }

  return {
    find(text, isBold, preferred) {
      const codePoints = Array.from(text, (character) => character.codePointAt(0) ?? 0).filter(
        (codePoint) => !isInvisible(codePoint),
      );
      const covers = (font: PdfFont): boolean => codePoints.every(font.has);
      if (preferred !== undefined && covers(preferred)) return preferred;
      const known = [...(isBold ? shipped.bold : shipped.regular), ...found].find(covers);
      if (known !== undefined) return known;
      while (unread.length > 0) {
        const opened = openSystemFonts(unread.shift() ?? "");
        const matching = opened.find(covers);
        found.push(...opened);
        if (matching !== undefined) return matching;
      }
      throw new AppError("transcript.noFont", { character: text });
    },
  };
}

const toFont = (name: string, bytes: Buffer, font: Font): PdfFont => ({
  name,
  bytes,
  has: (codePoint) => font.hasGlyphForCodePoint(codePoint),
});

/** Joiners, marks of direction and variation selectors, which fonts need not have. */
const isInvisible = (codePoint: number): boolean =>
  /\p{Default_Ignorable_Code_Point}|\p{Cc}/u.test(String.fromCodePoint(codePoint));

function systemFontFolders(): string[] {
  if (process.platform === "win32") {
    const { WINDIR = "C:\\Windows", LOCALAPPDATA = "" } = process.env;
    return [join(WINDIR, "Fonts"), join(LOCALAPPDATA, "Microsoft", "Windows", "Fonts")];
  }
  if (process.platform === "darwin")
    return ["/System/Library/Fonts", "/Library/Fonts", join(homedir(), "Library", "Fonts")];
  return [
    "/usr/share/fonts",
    "/usr/local/share/fonts",
    join(homedir(), ".local", "share", "fonts"),
    join(homedir(), ".fonts"),
  ];
}

/** Fonts with many scripts first, since opening all of them takes seconds. */
const likelyFonts =
  /noto|dejavu|cjk|droid|arial|segoe|nirmala|leelaw|msyh|yugoth|malgun|pingfang|hiragino|unicode|kohinoor/i;
const otherStyles =
  /bold|italic|oblique|light|thin|black|medium|condensed|mono|emoji|symbol|[bi]\.tt[cf]$/i;

const systemFontFiles = (folders: readonly string[]): string[] =>
  folders
    .flatMap((folder) => {
      try {
        return readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) =>
          join(folder, name),
        );
      } catch {
        return [];
      }
    })
    .filter((path) => /\.(?:ttf|otf|ttc|otc)$/i.test(path))
    .map((path) => ({ path, rank: rankOf(basename(path)) }))
    .sort((a, b) => a.rank - b.rank || a.path.localeCompare(b.path))
    .map(({ path }) => path);

const rankOf = (name: string): number =>
  (likelyFonts.test(name) ? 0 : 1) + (otherStyles.test(name) ? 2 : 0);
