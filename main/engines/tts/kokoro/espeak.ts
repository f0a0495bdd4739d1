// eSpeak NG, compiled to WebAssembly: words → phonemes of the International Phonetic Alphabet.

import type { EspeakModule } from "@echogarden/espeak-ng-emscripten";

export type Espeak = {
  /**
   * The phonemes of each word, each with the mark of its stress and length.
   * @param language eSpeak's name of it @param words without punctuation
   */
  phonemes(language: string, words: string): string[][];
};

/** Marks where a word of another language begins and ends, such as an English one in French. */
const languageSwitch = /\([a-z]{2,3}(?:-[a-z0-9-]+)?\)/g;
/** Between phonemes; doubled where there is a pause. */
const separator = /_+/;

let loading: Promise<Espeak> | undefined;

/** Loaded once per process, on first use: 0.1 s and 60 MB. */
export const loadEspeak = (): Promise<Espeak> => (loading ??= load());

async function load(): Promise<Espeak> {
  const { default: instantiate } = await import("@echogarden/espeak-ng-emscripten");
  const module: EspeakModule = await instantiate();
  const worker = new module.eSpeakNGWorker();
  let currentLanguage = "";

  function readText(start: number): string {
    const end = module.HEAPU8.indexOf(0, start);
    return new TextDecoder().decode(module.HEAPU8.subarray(start, end));
  }

  return {
    phonemes(language, words) {
      if (language !== currentLanguage && worker.set_voice(language) !== 0)
        throw new Error(`eSpeak NG does not know the language ${language}`);
      currentLanguage = language;
      return readText(worker.convert_to_phonemes(words, true).ptr)
        .replaceAll(languageSwitch, "")
        .split(/\s+/)
        .map((word) => word.split(separator).filter((phoneme) => /[^|]/.test(phoneme)))
        .filter((word) => word.length > 0);
    },
  };
}
