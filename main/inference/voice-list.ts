// Voices as clients see them.

import type { InstalledModel, ModelVoice } from "../contract/models.ts";
import type { VoiceInfo } from "../contract/speech.ts";
import { type VoiceTrait, voiceTraits } from "../contract/voice-traits.ts";

/** A greeting and a question for each language that voices here speak. */
const samples: Readonly<Record<string, string>> = {
  de: "Guten Abend. Soll ich das nächste Kapitel vorlesen?",
  en: "Good evening. Shall I read the next chapter to you?",
  es: "Buenas tardes. ¿Quieres que te lea el próximo capítulo?",
  fr: "Bonsoir à tous. Voulez-vous que je lise le chapitre suivant ?",
  hi: "शुभ संध्या। क्या मैं अगला अध्याय पढ़ूँ?",
  it: "Buonasera. Vuoi che legga il prossimo capitolo?",
  pt: "Boa noite. Quer que eu leia o próximo capítulo?",
};

const descriptions: Readonly<Record<VoiceTrait, string>> = {
  low: "deep voice",
  high: "high voice",
  slow: "slow",
  fast: "fast",
  even: "even melody",
  lively: "lively melody",
  medium: "medium pitch and pace",
};

export function toVoiceInfo(
  { id: model }: Pick<InstalledModel, "id">,
  voice: ModelVoice,
): VoiceInfo {
  const { id, name, character, language, region, gender, description } = voice;
  return {
    id,
    name,
    character,
    language: region === undefined ? language : `${language}-${region}`,
    gender: gender ?? "unknown",
    description:
      description ??
      [character, ...voiceTraits(voice).map((trait) => descriptions[trait])].join(", "),
    model,
    sample: samples[language] ?? samples["en"] ?? "",
  };
}
