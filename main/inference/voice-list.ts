// Voices as clients see them.

import type { InstalledModel, ModelVoice } from "../contract/models.ts";
import type { VoiceInfo } from "../contract/speech.ts";

/** A statement and a question for each language that voices here speak. */
const samples: Readonly<Record<string, string>> = {
  de: "Zwölf Boxkämpfer jagen Viktor quer über den Deich. Soll ich das nächste Kapitel vorlesen?",
  en: "The quick brown fox jumps over the lazy dog. Shall I read the next chapter to you?",
  es: "El pequeño zorro cruza el jardín bajo la lluvia. ¿Quieres que te lea el próximo capítulo?",
  fr: "Le petit renard traverse le jardin sous la pluie. Voulez-vous que je lise le chapitre suivant ?",
  hi: "छोटी लोमड़ी बारिश में बगीचे से गुज़रती है। क्या मैं अगला अध्याय पढ़ूँ?",
  it: "La piccola volpe attraversa il giardino sotto la pioggia. Vuoi che legga il prossimo capitolo?",
  pt: "A pequena raposa atravessa o jardim na chuva. Quer que eu leia o próximo capítulo?",
};

export function toVoiceInfo(
  { id: model }: Pick<InstalledModel, "id">,
  { id, name, character, language, region, gender, description }: ModelVoice,
): VoiceInfo {
  return {
    id,
    name,
    character,
    language: region === undefined ? language : `${language}-${region}`,
    gender: gender ?? "unknown",
    description: description ?? character,
    model,
    sample: samples[language] ?? samples["en"] ?? "",
  };
}
