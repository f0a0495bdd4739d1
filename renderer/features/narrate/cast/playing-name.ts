// Who is heard in a sentence, as shown in the player: a role of the cast, or a voice.

import type { NarrateOptions, NarrationSentence } from "../../../../main/contract/narration.ts";
import { useModels } from "../../../stores/models.ts";
import { unlistedVoice } from "../../../stores/voices.ts";
import { voiceChoices } from "../voices.ts";

export function playingName(
  { cast = [], model }: Pick<NarrateOptions, "cast" | "model">,
  { speaker, voice }: Pick<NarrationSentence, "speaker" | "voice">,
): string {
  // The narrator is the role without a voice of its own.
  const role = cast.find((each) =>
    speaker === undefined
      ? each.voice === undefined
      : each.name.toLowerCase() === speaker.toLowerCase(),
  );
  if (role !== undefined) return role.name;
  const voices = voiceChoices(useModels.getState().models, model);
  return (voices.find(({ id }) => id === voice) ?? unlistedVoice(voice, voices)).name;
}
