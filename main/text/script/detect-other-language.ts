// Detects scripts that are certainly in one of the languages most often submitted as English, by common words and
// letters that are rare in English. Returns nothing in case of doubt. Pure.

type LanguageMarkers = { readonly words: ReadonlySet<string>; readonly letters: RegExp };

const createMarkers = (words: string, letters: RegExp): LanguageMarkers => ({
  words: new Set(words.split(" ")),
  letters,
});

/** Without words that also exist in English. */
const markersByLanguage: Readonly<Record<string, LanguageMarkers>> = {
  de: createMarkers(
    "der die das und ist nicht ich ein eine zu mit sie auf für es dem den von auch wie sich er aber wir nur noch " +
      "nach bei aus wenn oder kann mir dir uns haben sind wird wurde einen einer eines im vom zum zur hatte mich " +
      "dich keine mehr sehr schon doch dann hier ihr sein ins über durch guten morgen geht",
    /[äöüß]/,
  ),
  fr: createMarkers(
    "le la les des est et un une dans que qui pour pas ne ce cette il elle nous vous je sur avec sont mais plus " +
      "par au aux du sa ses leur tout même être avoir fait qu très où été sans deux comme bien ils elles mon ma mes " +
      "votre bonjour",
    /[éèêàâçœùûîôëï]/,
  ),
  es: createMarkers(
    "el la los las de que y en un una es por con para su se lo como más pero sus le ya este sí porque esta entre " +
      "cuando muy sin sobre también hasta hay donde quien desde todo nos durante uno ni al del está ser son fue " +
      "había era buenos días",
    /[áéíóúñ¿¡]/,
  ),
  it: createMarkers(
    "il lo la gli le di che è e un una per non con del della dei delle sono si ma più anche nel alla questo " +
      "questa lei lui suo dal al da ci mi se perché quando molto nella sul era c essere tutto una uno come " +
      "buongiorno",
    /[àèéìòù]/,
  ),
  pt: createMarkers(
    "os de que e do da em um uma para com não se na por mais dos mas foi ao ele das tem à seu sua ou ser quando " +
      "muito há nos já está eu também só pelo pela até isso ela entre era depois sem mesmo aos bom dia",
    /[ãõçáéíóúâêôà]/,
  ),
};
const commonEnglishWords = new Set(
  (
    "the and of to is that it was for with his her he she they you this have had not are from be by but at on " +
    "which were their will would there been has what when said we my your"
  ).split(" "),
);

/** Enough text to decide in a short time. */
const maxCharacters = 20_000;
/** Fewer may be a name or a quotation. */
const minMarkedWords = 4;
/** Share of all words: a third of running text consists of the most common ones. */
const minMarkedShare = 0.25;

type Evidence = {
  readonly wordCount: number;
  readonly englishCount: number;
  /** Of the other language with most marked words. */
  readonly otherCode: string | undefined;
  readonly otherCount: number;
};

function collectEvidence(script: string): Evidence {
  const words =
    script
      .slice(0, maxCharacters)
      .normalize("NFC")
      .toLowerCase()
      .match(/[\p{L}\p{M}]+/gu) ?? [];
  const englishCount = words.filter((word) => commonEnglishWords.has(word)).length;
  let [otherCode, otherCount]: [string | undefined, number] = [undefined, 0];
  for (const [code, { words: commonWords, letters }] of Object.entries(markersByLanguage)) {
    const count = words.filter((word) => commonWords.has(word) || letters.test(word)).length;
    if (count > otherCount) [otherCode, otherCount] = [code, count];
  }
  return { wordCount: words.length, englishCount, otherCode, otherCount };
}

const isEnough = (count: number, contraryCount: number, wordCount: number): boolean =>
  count >= minMarkedWords && count >= minMarkedShare * wordCount && count > 2 * contraryCount;

/** @returns the ISO-639-1 code of a language that is certainly not English */
export function detectOtherLanguage(script: string): string | undefined {
  const { otherCode, otherCount, englishCount, wordCount } = collectEvidence(script);
  return isEnough(otherCount, englishCount, wordCount) ? otherCode : undefined;
}

/** It has more common words of English than marks of any other language. */
export function hasMoreEnglish(script: string): boolean {
  const { otherCount, englishCount } = collectEvidence(script);
  return englishCount > otherCount;
}
