// Languages named in a model's name, such as `sherpa-onnx-zipformer-vi-int8-2025-04-20`.

import { languageNames } from "../../contract/languages.ts";

/** Codes that are words of other meaning in names. */
const words = new Set(["am", "as", "be", "is", "la", "my", "no", "so"]);

/** Codes in the order of the name. */
export function languagesInName(name: string): string[] {
  const codes = name
    .toLowerCase()
    .split(/[^a-z]+/)
    .flatMap((part) => {
      if (languageNames.has(part) && !words.has(part)) return [part];
      const named = [...languageNames].find(([, language]) => language === part);
      return named === undefined ? [] : [named[0]];
    });
  return [...new Set(codes)];
}
