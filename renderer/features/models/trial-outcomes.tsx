// What came of a trial, one column a model: errors or differences in the texts, time, speed and memory.

import { Play } from "lucide-react";
import { formatDecimal } from "../../messages/format.ts";
import { t } from "../../messages/messages.ts";
import { mediaPlayback } from "../../stores/media-playback.ts";
import { openInPlayer, play } from "../../stores/player.ts";
import { Button } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Spinner } from "../../ui/spinner.tsx";
import { clipTitle } from "./clip-title.ts";
import { formatRate, MarkedText, MeasuredFigures } from "./measure-marks.tsx";
import { useMeasurements } from "./measure-store.ts";
import { totalOf, type TrialTranscript } from "./measured-total.ts";
import { diffTexts, type TextPart } from "./text-diff.ts";
import type { Outcome, Trial } from "./trial.ts";

export function TrialOutcomes({
  trial: { outcomes, running, isWarmingUp },
}: {
  trial: Pick<Trial, "outcomes" | "running" | "isWarmingUp">;
}) {
  if (outcomes.length === 0 && running === undefined) return null;
  const difference = differenceOf(outcomes);
  const isMarked = outcomes.some(({ transcripts }) =>
    transcripts.some(({ measured }) => measured !== undefined),
  );
  return (
    <div role="status" className="model-outcomes-all">
      {difference !== undefined && (
        <p className="model-difference">
          {difference.differing === 0
            ? t("models.try.same")
            : t(`models.try.differ.${difference.unit}`, { count: difference.differing })}
        </p>
      )}
      {isMarked && (
        <p className="secondary model-legend">
          <del>{t("models.measure.legend.wrong")}</del>{" "}
          <ins>{t("models.measure.legend.right")}</ins>
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

/** Of two texts; with the reference text, each model's errors are marked instead. */
function differenceOf(outcomes: readonly Outcome[]) {
  const texts = outcomes.flatMap(({ transcripts }) =>
    transcripts.flatMap(({ text, measured }) => (measured === undefined ? [text] : [])),
  );
  const [one, other] = texts;
  return one === undefined || other === undefined || texts.length > 2
    ? undefined
    : diffTexts(one, other);
}

function OutcomeColumn({
  outcome: { model, tookMs, transcripts, speechUrl, takeover, error },
  parts,
}: {
  outcome: Outcome;
  parts: readonly TextPart[] | undefined;
}) {
  const total = totalOf(transcripts);
  return (
    <article className="model-outcome">
      <h3>{model}</h3>
      {tookMs > 0 && (
        <p className="secondary figures">
          {t("models.try.took", { sec: formatDecimal(tookMs / 1000, 2) })}
        </p>
      )}
      {error !== undefined && <Notice tone="bad">{error}</Notice>}
      {takeover !== undefined && <Notice>{t("models.try.taken-over", takeover)}</Notice>}
      {total !== undefined && <MeasuredFigures total={total} />}
      {transcripts.map((transcript) => (
        <Transcript
          key={transcript.clip}
          transcript={transcript}
          isTitled={transcripts.length > 1}
          parts={parts}
        />
      ))}
      {speechUrl !== undefined && (
        <Button
          icon={<Play aria-hidden />}
          onClick={() => {
            openInPlayer({
              id: speechUrl,
              title: model,
              createPlayback: mediaPlayback(() => speechUrl),
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

function Transcript({
  transcript: { clip, text, measured },
  isTitled,
  parts,
}: {
  transcript: TrialTranscript;
  isTitled: boolean;
  parts: readonly TextPart[] | undefined;
}) {
  const { clips } = useMeasurements();
  return (
    <>
      {isTitled && (
        <h4>
          {clipTitle(clip, clips)}
          {measured !== undefined && (
            <span className="secondary figures"> {formatRate(measured.rate)}</span>
          )}
        </h4>
      )}
      <p className="model-transcript">
        {measured !== undefined ? (
          <MarkedText parts={measured.parts} />
        ) : text === "" ? (
          t("models.try.silence")
        ) : parts === undefined ? (
          text
        ) : (
          parts.map((part, index) =>
            part.isUnique ? <mark key={index}>{part.text}</mark> : part.text,
          )
        )}
      </p>
    </>
  );
}
