// What became of every second, as a thin bar under the waveform and in figures. One path a kind, however many
// stretches there are.

import "./coverage-bar.css";
import { useDeferredValue, useMemo } from "react";
import { formatTime } from "../../../messages/format.ts";
import { t } from "../../../messages/messages.ts";
import { useTask } from "../../../stores/task.ts";
import { Button } from "../../../ui/button.tsx";
import { Notice } from "../../../ui/notice.tsx";
import {
  coverage,
  coverageFigures,
  type CoverageKind,
  type Stretch,
} from "../document/coverage.ts";
import { hearFailed } from "../queue/item-work.ts";
import { useDocument, useTranscript } from "./use-transcript.ts";

const kinds: readonly CoverageKind[] = ["speech", "silence", "failed", "waiting", "left-out"];

const pathOf = (stretches: readonly Stretch[], kind: CoverageKind): string =>
  stretches
    .flatMap((stretch) =>
      stretch.kind === kind
        ? [
            `M${stretch.startSec.toFixed(2)} 0H${stretch.endSec.toFixed(2)}V1H${stretch.startSec.toFixed(2)}z`,
          ]
        : [],
    )
    .join("");

export function CoverageBar() {
  const { item, actions } = useTranscript();
  const retry = useTask();
  const segments = useDeferredValue(useDocument((state) => state.segments));
  const document = useDocument((state) => state.document);
  const isRunning = item.state === "running" || item.state === "waiting";
  const durationSec = document?.durationSec || item.durationSec;
  const stretches = useMemo(
    () =>
      document === undefined
        ? []
        : coverage({
            durationSec,
            segments,
            failed: document.failed,
            part: document.options,
            isRunning,
          }),
    [document, durationSec, segments, isRunning],
  );
  const paths = useMemo(
    () => kinds.map((kind) => ({ kind, path: pathOf(stretches, kind) })),
    [stretches],
  );
  if (stretches.length === 0) return null;
  const figures = coverageFigures(stretches);
  const failed = stretches.filter((stretch) => stretch.kind === "failed");
  const told = kinds.filter(
    (kind) => figures[kind] > 0 || (kind === "failed" && failed.length > 0),
  );
  return (
    <div className="coverage">
      <svg
        className="coverage-bar"
        viewBox={`0 0 ${durationSec} 1`}
        preserveAspectRatio="none"
        aria-hidden
      >
        {paths.map(({ kind, path }) => (
          <path key={kind} className={`coverage-${kind}`} d={path} />
        ))}
      </svg>
      <ul className="coverage-sums figures" aria-label={t("transcribe.coverage")}>
        {told.map((kind) => (
          <li key={kind}>
            <span className={`coverage-key coverage-key-${kind}`} />
            {t(`transcribe.coverage.${kind}`, { time: formatTime(figures[kind]) })}
          </li>
        ))}
      </ul>
      {failed.length > 0 && !isRunning && (
        <Notice
          tone="warn"
          action={
            <Button
              isSmall
              isBusy={retry.isBusy}
              onClick={() => void retry.run(() => hearFailed(item))}
            >
              {t("transcribe.coverage.retry", { count: failed.length })}
            </Button>
          }
        >
          {t("transcribe.coverage.partial", { count: failed.length })}
          <span className="coverage-failed">
            {failed.slice(0, 6).map((stretch) => (
              <Button
                key={stretch.startSec}
                kind="quiet"
                isSmall
                onClick={() =>
                  actions.hearAgain({ fromSec: stretch.startSec, toSec: stretch.endSec })
                }
              >
                {t("transcribe.coverage.again", {
                  from: formatTime(stretch.startSec),
                  to: formatTime(stretch.endSec),
                })}
              </Button>
            ))}
          </span>
        </Notice>
      )}
      {retry.error !== undefined && <Notice tone="bad">{retry.error}</Notice>}
    </div>
  );
}
