// Who may speak in the open narration: the narrator, the roles of its cast, and all voices by name.

import { useEffect, useMemo } from "react";
import type { Role } from "../../../../main/contract/narration.ts";
import { knowsVoice } from "../../../../main/contract/voice-blend.ts";
import { t } from "../../../messages/messages.ts";
import { loadModels, useModels } from "../../../stores/models.ts";
import { machineVoices, unlistedVoice, type VoiceChoice } from "../../../stores/voices.ts";
import { useNarration, useScript } from "../use-narration.ts";
import { openAiVoices, voiceChoices } from "../voices.ts";
import type { KnownNames } from "./speaker-marks.ts";

const noRoles: readonly Role[] = [];

export type Speakers = ReturnType<typeof useSpeakers>;

export function useSpeakers() {
  const { open } = useNarration();
  const models = useModels((state) => state.models);
  const isLoaded = useModels((state) => state.isLoaded);
  const model = useScript((state) => state.options.model);
  const ownVoice = useScript((state) => state.options.voice);
  const cast = useScript((state) => state.options.cast) ?? noRoles;
  useEffect(() => void (isLoaded || loadModels()), [isLoaded]);
  return useMemo(() => {
    const voices = voiceChoices(models, model);
    const names = new Set<string>([
      ...openAiVoices,
      ...machineVoices(models).map(({ id }) => id.toLowerCase()),
    ]);
    const roles = new Map(cast.map((role) => [role.name.toLowerCase(), role]));
    const findRole = (name: string): Role | undefined => roles.get(name.trim().toLowerCase());
    const known: KnownNames = {
      isRole: (name) => findRole(name) !== undefined,
      isVoice: (name) => knowsVoice(name.toLowerCase(), (id) => names.has(id)),
    };
    const findVoice = (id: string): VoiceChoice =>
      voices.find((voice) => voice.id === id) ?? unlistedVoice(id, voices);
    return {
      voices,
      cast,
      known,
      findRole,
      findVoice,
      /** Speaks before the first mark; a role without a voice of its own. */
      narrator: cast.find(({ voice }) => voice === undefined)?.name ?? t("narrate.cast.narrator"),
      /** The voice id behind the name in a mark. */
      voiceOf(name: string): string {
        const role = findRole(name);
        return role === undefined ? name.toLowerCase() : (role.voice ?? ownVoice);
      },
      ownVoice,
      setCast(next: readonly Role[]): void {
        open.store.setOptions({ ...open.store.getState().options, cast: [...next] });
        // To undo the last recast would undo this, too.
        open.view.setState({ lastCasting: undefined });
      },
    };
  }, [models, model, cast, ownVoice, open]);
}

/** The first voice that no role has yet: of the gender, and of the language of the narration's own voice, if any is. */
export function unusedVoice(
  {
    voices,
    cast,
    ownVoice,
    findVoice,
  }: Pick<Speakers, "voices" | "cast" | "ownVoice" | "findVoice">,
  gender?: "female" | "male",
): string {
  const { language = "en" } = findVoice(ownVoice);
  // A voice of a model may be listed under a name of every model, too.
  const used = new Set([ownVoice, ...cast.map(({ voice = "" }) => voice)].map(nameOf));
  function nameOf(id: string): string {
    return findVoice(id).name.toLowerCase();
  }
  const rank = (voice: VoiceChoice): number =>
    (gender === undefined || voice.gender === gender ? 0 : 1) +
    (voice.language === undefined || voice.language.startsWith(language) ? 0 : 2);
  const free = voices.filter(({ name }) => !used.has(name.toLowerCase()));
  return free.toSorted((one, other) => rank(one) - rank(other))[0]?.id ?? ownVoice;
}
