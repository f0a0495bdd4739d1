// Who is heard in a sentence, as shown in the player: a role of the cast, or a voice, and the one that took over.

import type { NarrateOptions, NarrationSentence } from "../../../../main/contract/narration.ts";
import { t } from "../../../messages/messages.ts";
import { useModels } from "../../../stores/models.ts";
import { unlistedVoice } from "../../../stores/voices.ts";
import { voiceChoices } from "../voices.ts";

export function playingName(
  { cast = [], model }: Pick<NarrateOptions, "cast" | "model">,
  { speaker, voice, spokenBy }: Pick<NarrationSentence, "speaker" | "voice" | "spokenBy">,
): string {
  const voices = voiceChoices(useModels.getState().models, model);
  const nameOf = (id: string): string =>
    (voices.find((each) => each.id === id) ?? unlistedVoice(id, voices)).name;
  // The narrator is the role without a voice of its own.
  const role = cast.find((each) =>
    speaker === undefined
      ? each.voice === undefined
      : each.name.toLowerCase() === speaker.toLowerCase(),
  );
  const name = role?.name ?? nameOf(voice);
  return spokenBy === undefined ? name : t("narrate.taken-over", { name, voice: nameOf(spokenBy) });
}
