// Coverage as a thin bar under the waveform and as numbers. One SVG path per kind, however many ranges there are.

import "./coverage-bar.css";
import { useDeferredValue, useMemo } from "react";
import { formatTime } from "../../../messages/format.ts";
import { t } from "../../../messages/messages.ts";
import { useTask } from "../../../stores/task.ts";
import { Button } from "../../../ui/button.tsx";
import { Notice } from "../../../ui/notice.tsx";
import {
  coverage,
  coverageWholeSeconds,
  type CoverageKind,
  type CoverageRange,
} from "../document/coverage.ts";
import { isInProgress, retranscribeFailed } from "../queue/item-actions.ts";
import { spanSec } from "../../../ui/time-view.ts";
import { useTimeView } from "./use-time-view.ts";
import { useDocument, useTranscript } from "./use-transcript.ts";

const kinds: readonly CoverageKind[] = ["speech", "silence", "failed", "waiting", "left-out"];

const coveragePath = (ranges: readonly CoverageRange[], kind: CoverageKind): string =>
  ranges
    .flatMap((range) =>
      range.kind === kind
        ? [
            `M${range.startSec.toFixed(2)} 0H${range.endSec.toFixed(2)}V1H${range.startSec.toFixed(2)}z`,
          ]
        : [],
    )
    .join("");

function CoverageStrip({ ranges }: { ranges: readonly CoverageRange[] }) {
  const { view } = useTimeView();
  const paths = useMemo(
    () =>
      kinds.map((kind) => (
        <path key={kind} className={`coverage-${kind}`} d={coveragePath(ranges, kind)} />
      )),
    [ranges],
  );
  return (
    <svg
      className="coverage-bar"
      viewBox={`${view.fromSec} 0 ${spanSec(view)} 1`}
      preserveAspectRatio="none"
      aria-hidden
    >
      {paths}
    </svg>
  );
}

export function CoverageBar() {
  const { item, actions } = useTranscript();
  const retry = useTask();
  const segments = useDeferredValue(useDocument((state) => state.segments));
  const document = useDocument((state) => state.document);
  const isRunning = isInProgress(item);
  const isUnfinished = item.state !== "done";
  const durationSec = document?.durationSec || item.durationSec;
  const ranges = useMemo(
    () =>
      document === undefined
        ? []
        : coverage({
            durationSec,
            segments,
            failed: document.failed,
            requestedRange: document.options,
            isUnfinished,
          }),
    [document, durationSec, segments, isUnfinished],
  );
  if (ranges.length === 0) return null;
  const wholeSeconds = coverageWholeSeconds(ranges);
  const failed = ranges.filter((range) => range.kind === "failed");
  const shownKinds = kinds.filter(
    (kind) => wholeSeconds[kind] > 0 || (kind === "failed" && failed.length > 0),
  );
  return (
    <div className="coverage">
      <CoverageStrip ranges={ranges} />
      <ul className="coverage-sums figures" aria-label={t("transcribe.coverage")}>
        {shownKinds.map((kind) => (
          <li key={kind}>
            <span className={`coverage-key coverage-key-${kind}`} />
            {t(
              kind === "waiting" && !isRunning
                ? "transcribe.coverage.interrupted"
                : `transcribe.coverage.${kind}`,
              { time: formatTime(wholeSeconds[kind]) },
            )}
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
              onClick={() => void retry.run(() => retranscribeFailed(item))}
            >
              {t("transcribe.coverage.retry", { count: failed.length })}
            </Button>
          }
        >
          {t("transcribe.coverage.partial", { count: failed.length })}
          <span className="coverage-failed">
            {failed.slice(0, 6).map((range) => (
              <Button
                key={range.startSec}
                kind="quiet"
                isSmall
                onClick={() =>
                  actions.retranscribe({ fromSec: range.startSec, toSec: range.endSec })
                }
              >
                {t("transcribe.coverage.range", {
                  from: formatTime(range.startSec),
                  to: formatTime(range.endSec),
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
