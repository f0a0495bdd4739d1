// Tries models on clips or a sentence, compares voices, and keeps what was measured.

import { FlaskConical } from "lucide-react";
import { useEffect } from "react";
import type { MeasuringClip } from "../../../main/contract/measurements.ts";
import type { ListedModel } from "../../../main/contract/window-api.ts";
import { t } from "../../messages/messages.ts";
import { useAction } from "../../stores/actions.ts";
import { eventStream } from "../../stores/event-stream.ts";
import { Button } from "../../ui/button.tsx";
import { Select, TextArea } from "../../ui/field.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Section } from "../../ui/page-frame.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { VoiceSelect } from "../../ui/voice-select.tsx";
import { ClipField } from "./clip-field.tsx";
import { loadMeasurements } from "./measure-store.ts";
import { MeasureTable } from "./measure-table.tsx";
import { ReferenceTextFields } from "./measure-text.tsx";
import { VoicesSection } from "./measure-voices.tsx";
import { TrialOutcomes } from "./trial-outcomes.tsx";
import { type TrialForm, trialKinds, useTrialForm } from "./trial-form.ts";
import { useTrial } from "./trial.ts";

export function TrySection({ models }: { models: readonly ListedModel[] }) {
  const form = useTrialForm(models);
  const trial = useTrial();
  useEffect(() => {
    void loadMeasurements();
    return eventStream().subscribe(({ type }) => void (type === "models" && loadMeasurements()));
  }, []);
  const isBusy = trial.running !== undefined;
  const start = () => trial.start(form.chosenModels, form.input);
  useAction({
    id: "models.try.start",
    title: t("models.try.start"),
    keys: "t",
    run: start,
    disabledReason: isBusy ? t("models.try.busy") : form.disabledReason,
  });
  return (
    <>
      <Section title={t("models.try")} about={t("models.try.about")}>
        <form
          className="model-try"
          onSubmit={(event) => {
            event.preventDefault();
            start();
          }}
        >
          <Segmented
            label={t("models.kind")}
            value={form.kind}
            choices={trialKinds.map((value) => ({ value, label: t(`models.kind.${value}`) }))}
            onChange={form.setKind}
          />
          <ModelChoice form={form} />
          {form.kind === "speech-to-text" ? (
            <>
              <ClipField />
              {form.appClips === undefined ? (
                <ReferenceTextFields value={form.referenceText} onChange={form.setReferenceText} />
              ) : (
                <AppClipTexts clips={form.appClips} />
              )}
            </>
          ) : (
            <SpeechInput form={form} />
          )}
          <div className="model-actions">
            <Button
              type="submit"
              kind="primary"
              icon={<FlaskConical aria-hidden />}
              isBusy={isBusy}
              disabledReason={form.disabledReason}
            >
              {t("models.try.start")}
            </Button>
            {isBusy && <Button onClick={trial.stop}>{t("frame.cancel")}</Button>}
          </div>
        </form>
        {trial.error !== undefined && <Notice tone="bad">{trial.error}</Notice>}
        <TrialOutcomes trial={trial} />
      </Section>
      <MeasureTable />
      <VoicesSection models={models} />
    </>
  );
}

/** One model, and others to compare it with; a further field appears once the last one is used. */
function ModelChoice({ form: { ids, chosenModels, setChosen } }: { form: TrialForm }) {
  const isOneLeft = ids.length > chosenModels.length;
  return (
    <div className="model-try-models">
      {[...chosenModels, ...(isOneLeft ? [""] : [])].map((model, index) => (
        <Select
          key={index}
          label={
            index === 0
              ? t("models.try.model")
              : index === 1
                ? t("models.try.beside")
                : t("models.try.besideToo", { number: index + 1 })
          }
          value={model}
          onChange={({ currentTarget: { value } }) =>
            setChosen(
              index < chosenModels.length
                ? chosenModels.with(index, value)
                : [...chosenModels, value],
            )
          }
        >
          {index > 0 && <option value="">{t("models.try.alone")}</option>}
          {ids
            .filter((id) => id === model || index === 0 || !chosenModels.includes(id))
            .map((id) => (
              <option key={id}>{id}</option>
            ))}
        </Select>
      ))}
    </div>
  );
}

/** What is said in clips that come with the app, and whose they are. */
function AppClipTexts({ clips }: { clips: readonly MeasuringClip[] }) {
  return (
    <div className="secondary model-clip-texts">
      {clips.map(({ id, language, text }) => (
        <p key={id} lang={language}>
          {text}
        </p>
      ))}
      <p>
        {t("models.clip.source")}{" "}
        <a href="https://huggingface.co/datasets/google/fleurs" target="_blank" rel="noreferrer">
          FLEURS
        </a>
        {", Google, "}
        <a href="https://creativecommons.org/licenses/by/4.0/" target="_blank" rel="noreferrer">
          CC BY 4.0
        </a>
      </p>
    </div>
  );
}

function SpeechInput({
  form: { text, setText, voiceGroups, voice, setVoice },
}: {
  form: TrialForm;
}) {
  return (
    <>
      <TextArea
        label={t("models.try.sentence")}
        maxLength={1000}
        value={text}
        onChange={({ currentTarget: { value } }) => setText(value)}
      />
      <VoiceSelect
        label={t("models.try.voice")}
        groups={voiceGroups}
        value={voice}
        onChange={setVoice}
      />
    </>
  );
}
