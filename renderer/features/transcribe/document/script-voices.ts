// Voices for the speakers of a transcript that becomes a script. Pure.

import { maxRoles, type Role } from "../../../../main/contract/narration.ts";
import type { ListedModel } from "../../../../main/contract/window-api.ts";
import { hasVoice, localVoices, machineVoices, type VoiceChoice } from "../../../stores/voices.ts";

/** As the script's marks name voices. */
const markable = /^[\p{L}\p{N}_-]{1,60}$/u;
/** Takes a model by the voice. */
const automaticModel = "tts-1-hd";

export type ScriptVoices = {
  readonly model: string;
  /** All different. Those in the language; if there are none, the standard ones. */
  readonly voices: readonly string[];
  readonly knowsLanguage: boolean;
};

/** @param preferred what narrations begin with; used if it knows the language */
export function scriptVoices(
  models: readonly ListedModel[],
  preferred: { readonly model: string; readonly voice: string },
  language: string,
): ScriptVoices {
  const isRemote = models.some(({ id, channel }) => id === preferred.model && channel !== "local");
  // Nobody knows the voices of a provider; each has those with OpenAI's names, and they speak any language.
  if (isRemote)
    return {
      model: preferred.model,
      voices: inTurns(standardVoices(), preferred.voice),
      knowsLanguage: true,
    };
  const inLanguage = machineVoices(models).filter(
    (voice) => markable.test(voice.id) && speaks(voice, language),
  );
  const ofModel = inLanguage.filter((voice) => hasVoice(preferred.model, voice));
  const voices = ofModel.length > 0 ? ofModel : inLanguage;
  return {
    model: ofModel.length > 0 ? preferred.model : automaticModel,
    voices: inTurns(voices.length > 0 ? voices : standardVoices(), preferred.voice),
    knowsLanguage: voices.length > 0,
  };
}

const maxNameLength = 60;

/**
 * A role for each speaker, in their order, named as the script's marks can name it.
 * @param speakers undefined: who has no name
 * @param unnamed name of the role for those
 */
export function castSpeakers(
  speakers: readonly (string | undefined)[],
  voices: readonly string[],
  unnamed: string,
): ReadonlyMap<string | undefined, Role> {
  const taken = new Set<string>();
  const cast = speakers.slice(0, maxRoles).map((speaker, index) => {
    const name = unusedName(toRoleName(speaker ?? unnamed) || unnamed, taken);
    taken.add(name.toLowerCase());
    return [speaker, { name, voice: voices[index % voices.length] }] as const;
  });
  return new Map(cast);
}

/** A name that would be a pause gets a full stop. */
const toRoleName = (speaker: string): string =>
  speaker
    .replaceAll(/[[\]\s]+/g, " ")
    .trim()
    .slice(0, maxNameLength - 4)
    .replace(/^pause(?=$| )/i, "$&.");

/** Roles are told apart without regard to case. */
function unusedName(name: string, taken: ReadonlySet<string>): string {
  for (let number = 2, free = name; ; number += 1) {
    if (!taken.has(free.toLowerCase())) return free;
    free = `${name} ${number}`;
  }
}

const standardVoices = (): readonly VoiceChoice[] => machineVoices([]);

/** The standard names stand for English voices; a model's voices of the same names are the same people. */
function speaks({ language, name, models }: VoiceChoice, wanted: string): boolean {
  if (models === undefined) return wanted === "en";
  const isStandard = (localVoices as readonly string[]).includes(name.toLowerCase());
  return language?.split("-")[0] === wanted && !isStandard;
}

/** The preferred voice first, then women and men in turns, so that those who alternate are easy to tell apart. */
function inTurns(voices: readonly VoiceChoice[], preferred: string): readonly string[] {
  const first = voices.find(({ id }) => id === preferred) ?? voices[0];
  const rest = voices.filter((voice) => voice !== first);
  const same = rest.filter(({ gender }) => gender === first?.gender);
  const others = rest.filter(({ gender }) => gender !== first?.gender);
  const turns = Array.from({ length: rest.length }, (_, at) => [others[at], same[at]]);
  return [first, ...turns.flat()].flatMap((voice) => voice?.id ?? []);
}
