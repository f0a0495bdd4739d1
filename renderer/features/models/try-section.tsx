// Tries one model or compares two on a clip or sentence: time taken, and differences of the texts.

import { FlaskConical, Play } from "lucide-react";
import { useState } from "react";
import type { ListedModel } from "../../../main/contract/window-api.ts";
import { formatDecimal } from "../../messages/format.ts";
import { t } from "../../messages/messages.ts";
import { useAction } from "../../stores/actions.ts";
import { mediaPlayback } from "../../stores/media-playback.ts";
import { openInPlayer, play } from "../../stores/player.ts";
import { useRoute } from "../../stores/route.ts";
import { localVoices } from "../../stores/voices.ts";
import { Button } from "../../ui/button.tsx";
import { Select, TextArea } from "../../ui/field.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Section } from "../../ui/page-frame.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { Spinner } from "../../ui/spinner.tsx";
import { fetchClip, useClip } from "./clip.ts";
import { ClipField } from "./clip-field.tsx";
import { modelIdsOfKind } from "./model-list.ts";
import { diffTexts, type TextPart } from "./text-diff.ts";
import { useTrial, type Outcome, type Trial, type TrialInput } from "./trial.ts";

const trialKinds = ["speech-to-text", "text-to-speech"] as const;
type TrialKind = (typeof trialKinds)[number];

type TrialForm = ReturnType<typeof useTrialForm>;

/** The models to try, and the clip or sentence; the address may name a model. */
function useTrialForm(models: readonly ListedModel[]) {
  const { query } = useRoute();
  const requestedModel = query.get("model") ?? "";
  const requestedKind = models.find(({ id }) => id === requestedModel)?.kind;
  const [kind, setKind] = useState<TrialKind>(
    requestedKind === "text-to-speech" ? "text-to-speech" : "speech-to-text",
  );
  const ids = modelIdsOfKind(models, kind);
  const [chosen, setChosen] = useState<{ first: string; second: string }>(() => {
    const first = requestedModel === "" ? (ids[0] ?? "") : requestedModel;
    return { first, second: query.has("compare") ? (ids.find((id) => id !== first) ?? "") : "" };
  });
  const clip = useClip();
  const [text, setText] = useState(() => t("models.try.sentence.example"));
  const [voice, setVoice] = useState<string>(localVoices[0]);
  const first = ids.includes(chosen.first) ? chosen.first : (ids[0] ?? "");
  const second = ids.includes(chosen.second) && chosen.second !== first ? chosen.second : "";
  const disabledReason =
    first === ""
      ? t("models.try.noModel")
      : kind === "text-to-speech" && text.trim() === ""
        ? t("models.try.noText")
        : undefined;
  const input: TrialInput =
    kind === "speech-to-text"
      ? {
          kind: "transcribe",
          clip: () => fetchClip(clip),
          ...(clip.from !== "sample" && { shortClip: () => fetchClip({ from: "sample" }) }),
        }
      : { kind: "synthesize", text: text.trim(), voice };
  return {
    kind,
    setKind,
    ids,
    first,
    second,
    setChosen,
    chosenModels: [first, second].filter((id) => id !== ""),
    text,
    setText,
    voice,
    setVoice,
    input,
    disabledReason,
  };
}

export function TrySection({ models }: { models: readonly ListedModel[] }) {
  const form = useTrialForm(models);
  const trial = useTrial();
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
        {form.kind === "speech-to-text" ? <ClipField /> : <SpeechInput form={form} />}
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
          {isBusy && <Button onClick={trial.stop}>{t("shell.cancel")}</Button>}
        </div>
      </form>
      {trial.error !== undefined && <Notice tone="bad">{trial.error}</Notice>}
      <Outcomes outcomes={trial.outcomes} running={trial.running} isWarmingUp={trial.isWarmingUp} />
    </Section>
  );
}

/** One model, and perhaps another to compare it with. */
function ModelChoice({ form: { ids, first, second, setChosen } }: { form: TrialForm }) {
  return (
    <div className="model-try-models">
      <Select
        label={t("models.try.model")}
        value={first}
        onChange={({ currentTarget: { value } }) => setChosen({ first: value, second })}
      >
        {ids.map((id) => (
          <option key={id}>{id}</option>
        ))}
      </Select>
      <Select
        label={t("models.try.beside")}
        value={second}
        onChange={({ currentTarget: { value } }) => setChosen({ first, second: value })}
      >
        <option value="">{t("models.try.alone")}</option>
        {ids
          .filter((id) => id !== first)
          .map((id) => (
            <option key={id}>{id}</option>
          ))}
      </Select>
    </div>
  );
}

function SpeechInput({ form: { text, setText, voice, setVoice } }: { form: TrialForm }) {
  return (
    <>
      <TextArea
        label={t("models.try.sentence")}
        maxLength={1000}
        value={text}
        onChange={({ currentTarget: { value } }) => setText(value)}
      />
      <Select
        label={t("models.try.voice")}
        value={voice}
        onChange={({ currentTarget: { value } }) => setVoice(value)}
      >
        {localVoices.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </Select>
    </>
  );
}

function Outcomes({
  outcomes,
  running,
  isWarmingUp,
}: Pick<Trial, "outcomes" | "running" | "isWarmingUp">) {
  const texts = outcomes.flatMap(({ result }) =>
    result?.kind === "transcript" ? [result.text] : [],
  );
  const [one, other] = texts;
  const difference = one === undefined || other === undefined ? undefined : diffTexts(one, other);
  if (outcomes.length === 0 && running === undefined) return null;
  return (
    <div role="status" className="model-outcomes-all">
      {difference !== undefined && (
        <p className="model-difference">
          {difference.differingWords === 0
            ? t("models.try.same")
            : t("models.try.differ", { count: difference.differingWords })}
        </p>
      )}
      <div className="model-outcomes">
        {outcomes.map((outcome, index) => (
          <OutcomeColumn
            key={`${index} ${outcome.model}`}
            outcome={outcome}
            parts={index === 0 ? difference?.first : difference?.second}
          />
        ))}
        {running !== undefined && (
          <div className="model-outcome">
            <h3>{running}</h3>
            <p className="model-working">
              <Spinner />
              {t(isWarmingUp ? "models.try.beginning" : "models.try.working")}
            </p>
          </div>
        )}
      </div>
    </div>
  );
}

function OutcomeColumn({
  outcome: { model, tookMs, result, error },
  parts,
}: {
  outcome: Outcome;
  parts: readonly TextPart[] | undefined;
}) {
  return (
    <article className="model-outcome">
      <h3>{model}</h3>
      <p className="secondary figures">
        {t("models.try.took", { sec: formatDecimal(tookMs / 1000, 2) })}
      </p>
      {error !== undefined && <Notice tone="bad">{error}</Notice>}
      {result?.kind === "transcript" && (
        <p className="model-heard">
          {result.text === ""
            ? t("models.try.silence")
            : parts === undefined
              ? result.text
              : parts.map(({ text, isUnique }, index) =>
                  isUnique ? <mark key={index}>{text}</mark> : text,
                )}
        </p>
      )}
      {result?.kind === "speech" && (
        <Button
          icon={<Play aria-hidden />}
          onClick={() => {
            openInPlayer({
              id: result.url,
              title: model,
              createPlayback: mediaPlayback(() => result.url),
            });
            void play();
          }}
        >
          {t("models.try.play")}
        </Button>
      )}
    </article>
  );
}
