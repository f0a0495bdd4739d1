// What a trial is about: the models, and the clips with their reference text, or a sentence and a voice.

import { useState } from "react";
import type { MeasuringClip } from "../../../main/contract/measurements.ts";
import type { ListedModel } from "../../../main/contract/window-api.ts";
import { languageInUse, t } from "../../messages/messages.ts";
import { useItems } from "../../stores/items.ts";
import { useRoute } from "../../stores/route.ts";
import { usePreferences } from "../../stores/preferences.ts";
import {
  groupByLanguage,
  hasVoice,
  localVoices,
  machineVoices,
  storedBlends,
} from "../../stores/voices.ts";
import { type Clip, fetchAppClip, fetchItem, fetchSample, useClip } from "./clip.ts";
import { useMeasurements } from "./measure-store.ts";
import type { ReferenceText } from "./measure-text.tsx";
import { modelIdsOfKind } from "./model-list.ts";
import type { TrialClip, TrialInput } from "./trial.ts";

export const trialKinds = ["speech-to-text", "text-to-speech"] as const;
type TrialKind = (typeof trialKinds)[number];

export type TrialForm = ReturnType<typeof useTrialForm>;

/** The address may name a model. */
export function useTrialForm(models: readonly ListedModel[]) {
  const { query } = useRoute();
  const requestedModel = query.get("model") ?? "";
  const requestedKind = models.find(({ id }) => id === requestedModel)?.kind;
  const [kind, setKind] = useState<TrialKind>(
    requestedKind === "text-to-speech" ? "text-to-speech" : "speech-to-text",
  );
  const ids = modelIdsOfKind(models, kind);
  const [chosen, setChosen] = useState<readonly string[]>(() => {
    const first = requestedModel === "" ? (ids[0] ?? "") : requestedModel;
    return [first, query.has("compare") ? (ids.find((id) => id !== first) ?? "") : ""];
  });
  const [text, setText] = useState(() => t("models.try.sentence.example"));
  const storedVoices = usePreferences((preferences) => preferences.voices);
  const [chosenVoice, setVoice] = useState("");
  const { clips, ...clipFields } = useClips();
  const known = [...new Set(chosen)].filter((id) => ids.includes(id));
  const chosenModels = known.length > 0 ? known : ids.slice(0, 1);
  // Each model is to have the voice.
  const listed = machineVoices(models);
  const voices = [...listed, ...storedBlends(storedVoices, listed)].filter((each) =>
    chosenModels.every((model) => hasVoice(model, each)),
  );
  const voice = voices.some(({ id }) => id === chosenVoice) ? chosenVoice : localVoices[0];
  const disabledReason =
    chosenModels.length === 0
      ? t("models.try.noModel")
      : kind === "text-to-speech" && text.trim() === ""
        ? t("models.try.noText")
        : undefined;
  const input: TrialInput =
    kind === "speech-to-text"
      ? { kind: "transcribe", clips, fetchShortClip: fetchSample }
      : { kind: "synthesize", text: text.trim(), voice };
  return {
    kind,
    setKind,
    ids,
    setChosen,
    chosenModels,
    ...clipFields,
    text,
    setText,
    voiceGroups: groupByLanguage(voices),
    voice,
    setVoice,
    input,
    disabledReason,
  };
}

/** The chosen clips; the reference text of the person's own clip can be written. */
function useClips() {
  const clip = useClip();
  const { clips: ofApp } = useMeasurements();
  const items = useItems(({ byId }) => byId);
  const [written, setWritten] = useState<ReferenceText & { readonly of?: Clip }>({
    text: "",
    language: languageInUse(),
  });
  if (clip.from === "app") {
    const chosen = ofApp.filter(({ id }) => clip.ids.includes(id));
    return { appClips: chosen, clips: chosen.map(toTrialClip) };
  }
  // The text of another clip would count as errors.
  const referenceText: ReferenceText = written.of === clip ? written : { ...written, text: "" };
  const text = referenceText.text.trim();
  const title = clip.from === "item" ? items.get(clip.id)?.title : undefined;
  const own: TrialClip = {
    name: clip.from === "file" ? clip.file.name : (title ?? t("models.clip.sample")),
    fetch: () => fetchOwn(clip),
    ...(text !== "" && { expected: { text, language: referenceText.language } }),
  };
  return {
    clips: [own],
    referenceText,
    setReferenceText: (value: ReferenceText) => setWritten({ ...value, of: clip }),
  };
}

const toTrialClip = ({ id, text, language }: MeasuringClip): TrialClip => ({
  name: id,
  fetch: () => fetchAppClip(id),
  expected: { text, language },
});

async function fetchOwn(clip: Exclude<Clip, { from: "app" }>) {
  if (clip.from === "file") return { blob: clip.file, name: clip.file.name };
  return clip.from === "item" ? fetchItem(clip.id) : fetchSample();
}
