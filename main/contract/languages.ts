// The languages a speech-to-text model may be told of or may find: ISO-639-1 codes and the lower-case English
// names openai/whisper gives them (its two codes without an ISO-639-1 form, `haw` and `yue`, included).

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

/** Other names and codes that mean a language of the table: usual second names, ISO-639-1's own code for Javanese. */
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

/** The English name of a code `parseLanguage` gave; another code stands for itself. */
export const languageName = (code: string): string => languageNames.get(code) ?? code;

/** The names of some languages, for a person to read; of more than ten, how many there are. */
export const formatLanguageList = (codes: readonly string[]): string =>
  codes.length > 10 ? `${codes.length} others` : codes.map(languageName).join(", ");

/**
 * Codes of languages that are written without spaces between words. Tibetan is none of them: it ends what is said with
 * a sign and a space. main/library/search/indexed-text.ts goes by the letters instead: a text may mix them, a title tells no language.
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

/** What stands before a segment in this language where it follows another. */
export const separatorBefore = (language: string): "" | " " =>
  languagesWithoutSpaces.has(language) ? "" : " ";

const codesByName: ReadonlyMap<string, string> = new Map(
  Array.from(languageNames, ([code, name]) => [name, code]),
);

/** `en`, `EN-us`, `English`, `castilian` → the table's code; `undefined` for what is no language of the table. */
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
