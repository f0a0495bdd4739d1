// Compares two voices blind: both say the same sentence, and their names appear after the vote.

import { Play } from "lucide-react";
import { useEffect, useState } from "react";
import type { VotedVoice } from "../../../main/contract/measurements.ts";
import { voiceHeader } from "../../../main/contract/openai.ts";
import type { ListedModel } from "../../../main/contract/window-api.ts";
import { measurementsUrl } from "../../api/binary.ts";
import { call } from "../../api/client.ts";
import { requestSpeech } from "../../api/speech.ts";
import { languageInUse, t } from "../../messages/messages.ts";
import { mediaPlayback } from "../../stores/media-playback.ts";
import { closePlayer, openInPlayer, play, usePlayer } from "../../stores/player.ts";
import { useTask } from "../../stores/task.ts";
import { Button } from "../../ui/button.tsx";
import { Select, TextArea } from "../../ui/field.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Section } from "../../ui/page-frame.tsx";
import { useMeasurements } from "./measure-store.ts";
import { drawableVoices, drawPair, voiceKey, voicesOf } from "./voice-pair.ts";

type VoiceSample = { readonly voice: VotedVoice; readonly url: string };
type Round = { readonly first: VoiceSample; readonly second: VoiceSample };

function release(round: Round | undefined): void {
  for (const { url } of round === undefined ? [] : [round.first, round.second]) {
    if (usePlayer.getState().source?.id === url) closePlayer();
    URL.revokeObjectURL(url);
  }
}

/** @throws if another voice would speak instead: a vote would count for the wrong one */
async function speakItself(
  voice: VotedVoice,
  sentence: string,
  signal: AbortSignal,
): Promise<Blob> {
  const response = await requestSpeech(sentence, voice, signal);
  const other = response.headers.get(voiceHeader);
  if (other === null) return response.blob();
  await response.body?.cancel();
  throw new Error(t("models.voices.foreign", { voice: voice.voice, other }));
}

function useRounds() {
  const [round, setRound] = useState<Round>();
  const [isDecided, setDecided] = useState(false);
  const { isBusy, error, run, cancel } = useTask();
  useEffect(() => () => release(round), [round]);

  const begin = (pair: readonly [VotedVoice, VotedVoice], sentence: string): void =>
    void run(async (signal) => {
      const [one, other] = pair;
      const audio = await speakItself(one, sentence, signal);
      const otherAudio = await speakItself(other, sentence, signal);
      setRound({
        first: { voice: one, url: URL.createObjectURL(audio) },
        second: { voice: other, url: URL.createObjectURL(otherAudio) },
      });
      setDecided(false);
    });

  const vote = (better: "first" | "second" | "tie"): void =>
    void run(async (signal) => {
      if (round === undefined) return;
      const [first, second] = [round.first.voice, round.second.voice];
      const { voices } = await call(
        "voteOnVoices",
        {
          first: better === "second" ? second : first,
          second: better === "second" ? first : second,
          isTie: better === "tie",
        },
        "",
        signal,
      );
      useMeasurements.setState({ voices });
      setDecided(true);
    });

  return { round, isDecided, isBusy, error, begin, vote, cancel };
}

export function VoicesSection({ models }: { models: readonly ListedModel[] }) {
  const voices = voicesOf(models);
  const [chosen, setChosen] = useState<readonly [string, string]>(["", ""]);
  const [sentence, setSentence] = useState(() => t("models.try.sentence.example"));
  const { round, isDecided, isBusy, error, begin, vote, cancel } = useRounds();
  if (voices.length < 2) return null;
  return (
    <Section title={t("models.voices.blind")} about={t("models.voices.about")}>
      <form
        className="model-try"
        onSubmit={(event) => {
          event.preventDefault();
          // The sentence is in the language of the window unless somebody wrote another one.
          const drawable = drawableVoices(models, languageInUse());
          const pair = drawPair({ voices, drawable }, chosen);
          if (pair !== undefined) begin(pair, sentence.trim());
        }}
      >
        <div className="model-try-models">
          {([0, 1] as const).map((index) => (
            <Select
              key={index}
              label={t(index === 0 ? "models.voices.one" : "models.voices.other")}
              value={chosen[index]}
              onChange={({ currentTarget: { value } }) =>
                setChosen(index === 0 ? [value, chosen[1]] : [chosen[0], value])
              }
            >
              <option value="">{t("models.voices.any")}</option>
              {voices.map((voice) => (
                <option key={voiceKey(voice)} value={voiceKey(voice)}>
                  {voice.model}: {voice.voice}
                </option>
              ))}
            </Select>
          ))}
        </div>
        <TextArea
          label={t("models.voices.sentence")}
          maxLength={1000}
          value={sentence}
          onChange={({ currentTarget: { value } }) => setSentence(value)}
        />
        <div className="model-actions">
          <Button
            type="submit"
            isBusy={isBusy}
            disabledReason={
              sentence.trim() === ""
                ? t("models.try.noText")
                : chosen[0] !== "" && chosen[0] === chosen[1]
                  ? t("models.voices.same")
                  : undefined
            }
          >
            {t("models.voices.start")}
          </Button>
          {isBusy && <Button onClick={cancel}>{t("frame.cancel")}</Button>}
        </div>
      </form>
      {error !== undefined && <Notice tone="bad">{error}</Notice>}
      {round !== undefined && <BlindRound round={round} isDecided={isDecided} onVote={vote} />}
      <VoiceTallies />
    </Section>
  );
}

function BlindRound({
  round,
  isDecided,
  onVote,
}: {
  round: Round;
  isDecided: boolean;
  onVote: (better: "first" | "second" | "tie") => void;
}) {
  const title = (letter: "A" | "B", { voice }: VoiceSample): string =>
    isDecided ? `${letter}: ${voice.model}, ${voice.voice}` : t("models.voices.hidden", { letter });
  const side = (letter: "A" | "B", sample: VoiceSample, better: "first" | "second") => (
    <article className="model-outcome">
      <h3>{title(letter, sample)}</h3>
      <div className="model-actions">
        <Button
          icon={<Play aria-hidden />}
          onClick={() => {
            openInPlayer({
              id: sample.url,
              title: title(letter, sample),
              createPlayback: mediaPlayback(() => sample.url),
            });
            void play();
          }}
        >
          {t("models.voices.play", { letter })}
        </Button>
        {!isDecided && (
          <Button onClick={() => onVote(better)}>{t("models.voices.better", { letter })}</Button>
        )}
      </div>
    </article>
  );
  return (
    <div className="model-outcomes" role="status">
      {side("A", round.first, "first")}
      {side("B", round.second, "second")}
      {!isDecided && <Button onClick={() => onVote("tie")}>{t("models.voices.tie")}</Button>}
    </div>
  );
}

function VoiceTallies() {
  const { voices } = useMeasurements();
  if (voices.length === 0) return null;
  return (
    <>
      <div className="table-scroll">
        <table className="table">
          <thead>
            <tr>
              <th>{t("models.id")}</th>
              <th>{t("models.try.voice")}</th>
              <th className="table-figure">{t("models.voices.won")}</th>
              <th className="table-figure">{t("models.voices.lost")}</th>
              <th className="table-figure">{t("models.voices.tied")}</th>
            </tr>
          </thead>
          <tbody>
            {voices.map((tally) => (
              <tr key={voiceKey(tally)}>
                <td>{tally.model}</td>
                <td>{tally.voice}</td>
                <td className="table-figure">{tally.won}</td>
                <td className="table-figure">{tally.lost}</td>
                <td className="table-figure">{tally.tied}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <a className="button button-secondary model-export" href={measurementsUrl("votes")} download>
        {t("models.measure.export")}
      </a>
    </>
  );
}
