// Languages that a speech-to-text model accepts or detects: ISO-639-1 codes and openai/whisper's lower-case English
// names, including its two codes without an ISO-639-1 form, `haw` and `yue`.

export const languageNames: ReadonlyMap<string, string> = new Map(
  Object.entries({
    af: "afrikaans",
    am: "amharic",
    ar: "arabic",
    as: "assamese",
    az: "azerbaijani",
    ba: "bashkir",
    be: "belarusian",
    bg: "bulgarian",
    bn: "bengali",
    bo: "tibetan",
    br: "breton",
    bs: "bosnian",
    ca: "catalan",
    cs: "czech",
    cy: "welsh",
    da: "danish",
    de: "german",
    el: "greek",
    en: "english",
    es: "spanish",
    et: "estonian",
    eu: "basque",
    fa: "persian",
    fi: "finnish",
    fo: "faroese",
    fr: "french",
    gl: "galician",
    gu: "gujarati",
    ha: "hausa",
    haw: "hawaiian",
    he: "hebrew",
    hi: "hindi",
    hr: "croatian",
    ht: "haitian creole",
    hu: "hungarian",
    hy: "armenian",
    id: "indonesian",
    is: "icelandic",
    it: "italian",
    ja: "japanese",
    jw: "javanese",
    ka: "georgian",
    kk: "kazakh",
    km: "khmer",
    kn: "kannada",
    ko: "korean",
    la: "latin",
    lb: "luxembourgish",
    ln: "lingala",
    lo: "lao",
    lt: "lithuanian",
    lv: "latvian",
    mg: "malagasy",
    mi: "maori",
    mk: "macedonian",
    ml: "malayalam",
    mn: "mongolian",
    mr: "marathi",
    ms: "malay",
    mt: "maltese",
    my: "myanmar",
    ne: "nepali",
    nl: "dutch",
    nn: "nynorsk",
    no: "norwegian",
    oc: "occitan",
    pa: "punjabi",
    pl: "polish",
    ps: "pashto",
    pt: "portuguese",
    ro: "romanian",
    ru: "russian",
    sa: "sanskrit",
    sd: "sindhi",
    si: "sinhala",
    sk: "slovak",
    sl: "slovenian",
    sn: "shona",
    so: "somali",
    sq: "albanian",
    sr: "serbian",
    su: "sundanese",
    sv: "swedish",
    sw: "swahili",
    ta: "tamil",
    te: "telugu",
    tg: "tajik",
    th: "thai",
    tk: "turkmen",
    tl: "tagalog",
    tr: "turkish",
    tt: "tatar",
    uk: "ukrainian",
    ur: "urdu",
    uz: "uzbek",
    vi: "vietnamese",
    yi: "yiddish",
    yo: "yoruba",
    yue: "cantonese",
    zh: "chinese",
  }),
);

/** Other names and codes for languages of the table: common second names, and ISO-639-1's own code for Javanese. */
const aliases: ReadonlyMap<string, string> = new Map(
  Object.entries({
    burmese: "my",
    castilian: "es",
    farsi: "fa",
    filipino: "tl",
    flemish: "nl",
    haitian: "ht",
    jv: "jw",
    letzeburgesch: "lb",
    mandarin: "zh",
    moldavian: "ro",
    moldovan: "ro",
    nb: "no",
    panjabi: "pa",
    pushto: "ps",
    sinhalese: "si",
    valencian: "ca",
    fil: "tl",
    iw: "he",
    cmn: "zh",
  }),
);

/** English name of a code from `parseLanguage`; an unknown code is returned unchanged. */
export const languageName = (code: string): string => languageNames.get(code) ?? code;

export const formatLanguageList = (codes: readonly string[]): string =>
  codes.map(languageName).join(", ");

/**
 * Codes of languages written without spaces between words. Not Tibetan, which ends phrases with a sign and a space.
 * main/library/search/indexed-text.ts looks at the letters instead: a text may mix scripts, and a title has no
 * language.
 */
export const languagesWithoutSpaces: ReadonlySet<string> = new Set([
  "ja",
  "km",
  "lo",
  "my",
  "th",
  "yue",
  "zh",
]);

/**
 * A letter of a script written without spaces between words: a text may be of another language than it is said to be.
 */
export const letterWithoutSpaces = new RegExp(
  String.raw`(?=\p{L})[${[
    "Han",
    "Hiragana",
    "Katakana",
    "Thai",
    "Lao",
    "Khmer",
    "Myanmar",
    "Tibetan",
  ]
    .map((script) => String.raw`\p{Script=${script}}`)
    .join("")}]`,
  "u",
);

/** Whether most of a text's letters are of such scripts. */
export function isWrittenWithoutSpaces(text: string): boolean {
  const letters = text.match(/\p{L}/gu) ?? [];
  const unspaced = letters.filter((letter) => letterWithoutSpaces.test(letter));
  return unspaced.length > letters.length / 2;
}

/** Separator before a segment in this language that follows another segment. */
export const separatorBefore = (language: string): "" | " " =>
  languagesWithoutSpaces.has(language) ? "" : " ";

const codesByName: ReadonlyMap<string, string> = new Map(
  Array.from(languageNames, ([code, name]) => [name, code]),
);

/** `en`, `EN-us`, `English`, `castilian` → the table's code; undefined if the table does not have the language. */
export function parseLanguage(value: string): string | undefined {
  const normalized = value.trim().toLowerCase();
  const primarySubtag = normalized.split(/[-_]/, 1)[0] ?? normalized;
  for (const candidate of [normalized, primarySubtag]) {
    if (languageNames.has(candidate)) return candidate;
    const code = codesByName.get(candidate) ?? aliases.get(candidate);
    if (code !== undefined) return code;
  }
  return undefined;
}
