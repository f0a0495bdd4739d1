// Makes a narration of a transcript: a script in which each speaker has a voice.

import type { Item } from "../../../../main/contract/library-item.ts";
import { call } from "../../../api/client.ts";
import { messageOf } from "../../../api/error.ts";
import { t } from "../../../messages/messages.ts";
import { itemPath, storeItem } from "../../../stores/items.ts";
import { loadModels, useModels } from "../../../stores/models.ts";
import { usePreferences } from "../../../stores/preferences.ts";
import { go } from "../../../stores/route.ts";
import { toast } from "../../../stores/toasts.ts";
import { languageName } from "../../../ui/language-name.ts";
import { isTranslated, spokenLanguages } from "../document/languages.ts";
import { castSpeakers, scriptVoices } from "../document/script-voices.ts";
import type { OpenTranscript } from "./open-transcripts.ts";
import { toParagraphs, toScript } from "./plain-text.ts";

/** Creates the narration and opens it; failures are shown. */
export async function makeSpeakerScript({ store }: OpenTranscript, item: Item): Promise<void> {
  const { segments, document } = store.getState();
  const paragraphs = toParagraphs(segments);
  const speakers = [...new Set(paragraphs.map(({ speaker }) => speaker))];
  const spoken = spokenLanguages(segments);
  const language = isTranslated(document?.options, spoken, item.channels) ? "en" : spoken[0];
  try {
    if (!useModels.getState().isLoaded) await loadModels();
    const { models } = useModels.getState();
    const options = usePreferences.getState().narrate;
    const { model, voices, knowsLanguage } = scriptVoices(models, options, language ?? "en");
    const narrator = t("narrate.cast.narrator");
    const cast = castSpeakers(speakers, voices, narrator);
    const narration = await call("createNarration", {
      title: item.title,
      script: toScript(paragraphs, (speaker) => cast.get(speaker)?.name ?? narrator),
      options: { ...options, model, voice: voices[0] ?? options.voice, cast: [...cast.values()] },
    });
    storeItem(narration);
    go(itemPath(narration));
    const name = languageName(language ?? "en");
    if (!knowsLanguage) toast({ text: () => t("transcribe.script.no-voice", { language: name }) });
    else if (voices.length < speakers.length)
      toast({
        text: () => t("transcribe.script.few-voices", { language: name, count: voices.length }),
      });
  } catch (error) {
    toast({ tone: "bad", text: () => messageOf(error) });
  }
}
