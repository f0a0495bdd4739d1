// The waveform above the text: played part, range selection with its actions, markers of low-confidence words.

import "./sound.css";
import { Play, RotateCcw, Scissors, UserRound, X, ZoomIn } from "lucide-react";
import { useDeferredValue, useMemo, useState } from "react";
import { call } from "../../../api/client.ts";
import { messageOf } from "../../../api/error.ts";
import { formatTime, formatTimeTenths } from "../../../messages/format.ts";
import { t } from "../../../messages/messages.ts";
import { storeItem, itemPath } from "../../../stores/items.ts";
import { skipSec, usePageWaveform, usePlayer } from "../../../stores/player.ts";
import { usePreferences } from "../../../stores/preferences.ts";
import { go } from "../../../stores/route.ts";
import { Button, IconButton } from "../../../ui/button.tsx";
import { TimeScrollbar } from "../../../ui/time-scrollbar.tsx";
import { spanSec, zoomToRange, type TimeRange } from "../../../ui/time-view.ts";
import { Waveform } from "../../../ui/waveform.tsx";
import { segmentsInRange } from "../document/edits.ts";
import { lowConfidenceWords } from "../document/low-confidence.ts";
import { segmentIndexAt, wordIndexAt } from "../document/segment-at-time.ts";
import { CoverageBar } from "./coverage-bar.tsx";
import { editingHint } from "./segment-text.tsx";
import { SpeakerOverview } from "./speaker-overview.tsx";
import { useFollowPosition, useTimeView } from "./use-time-view.ts";
import { useDocument, useTranscript, useView } from "./use-transcript.ts";
import { ZoomButtons } from "./zoom-buttons.tsx";

/** Tenths of a second tell the ends of ranges apart that are shorter. */
const maxTenthsSec = 10;
/** More markers would be useless. */
const maxMarkers = 40;

export function AudioSection() {
  const { item } = useTranscript();
  const hasText = useDocument((state) => state.segments.length > 0);
  const range = useView((view) => view.range);
  const isEditing = useView((view) => view.editing !== undefined);
  return (
    <section className="sound" aria-label={t("transcribe.sound")}>
      {item.hasMedia && <AudioWaveform />}
      <SpeakerOverview />
      {range !== undefined && <RangeBar range={range} />}
      <CoverageBar />
      {item.state === "done" && hasText && (
        <p className="sound-hint">
          {isEditing
            ? editingHint()
            : item.hasMedia
              ? t("transcribe.hint")
              : t("transcribe.hint.no-sound")}
        </p>
      )}
    </section>
  );
}

/** With its zoom. */
function AudioWaveform() {
  const { item, open, actions, peaks } = useTranscript();
  const positionSec = usePlayer((state) => (state.source?.id === item.id ? state.positionSec : 0));
  const segments = useDeferredValue(useDocument((state) => state.segments));
  const range = useView((view) => view.range);
  const timeView = useTimeView();
  const { durationSec, view, isZoomed, setView } = timeView;
  useFollowPosition(timeView, positionSec);
  usePageWaveform(item.id);
  const markers = useMemo(
    () =>
      lowConfidenceWords(segments)
        .slice(0, maxMarkers)
        .flatMap((word) => word.occurrences.slice(0, 3).map((occurrence) => occurrence.startSec)),
    [segments],
  );
  const spokenAt = (sec: number): string | undefined => {
    const { segments: currentSegments } = open.store.getState();
    const segment = currentSegments[segmentIndexAt(currentSegments, sec)];
    const word = segment?.words[wordIndexAt(segment, sec) ?? -1]?.word.trim();
    return word === undefined || segment?.speaker === undefined
      ? word
      : `${segment.speaker}: ${word}`;
  };
  return (
    <div className="sound-wave">
      <Waveform
        label={t("transcribe.waveform", { title: item.title })}
        peaks={peaks}
        durationSec={durationSec}
        positionSec={positionSec}
        onSeek={actions.seek}
        stepSec={skipSec}
        view={view}
        onViewChange={setView}
        range={range}
        onRangeChange={actions.setRange}
        markers={markers}
        hoverText={spokenAt}
      />
      <ZoomButtons timeView={timeView} positionSec={positionSec} />
      {isZoomed && (
        <TimeScrollbar
          label={t("transcribe.zoom.scroll")}
          durationSec={durationSec}
          view={view}
          onChange={setView}
        />
      )}
    </div>
  );
}

function RangeBar({ range }: { range: TimeRange }) {
  const { item, actions } = useTranscript();
  const { durationSec, isZoomed, setView } = useTimeView();
  const options = usePreferences((state) => state.transcribe);
  const [state, setState] = useState<{ isBusy: boolean; error?: string }>({ isBusy: false });
  const first = useDocument(
    ({ segments }) => segmentsInRange(segments, range.fromSec, range.toSec)[0],
  );
  const format = isZoomed && spanSec(range) < maxTenthsSec ? formatTimeTenths : formatTime;
  const rangeLabels = { from: format(range.fromSec), to: format(range.toSec) };

  async function transcribeRange(): Promise<void> {
    setState({ isBusy: true });
    try {
      const newItem = await call(
        "transcribeItem",
        { ...options, fromSec: range.fromSec, toSec: range.toSec },
        item.id,
      );
      storeItem(newItem);
      actions.setRange(undefined);
      go(itemPath(newItem));
    } catch (error) {
      setState({ isBusy: false, error: messageOf(error) });
    }
  }

  return (
    <div className="sound-range">
      <span className="figures">{t("transcribe.range", rangeLabels)}</span>
      {item.hasMedia && (
        <IconButton
          label={t("transcribe.range.zoom")}
          isSmall
          onClick={() => setView(zoomToRange(range, durationSec))}
        >
          <ZoomIn aria-hidden />
        </IconButton>
      )}
      <Button isSmall icon={<Play aria-hidden />} onClick={() => actions.playFrom(range.fromSec)}>
        {t("transcribe.range.play")}
      </Button>
      <Button isSmall icon={<RotateCcw aria-hidden />} onClick={() => actions.retranscribe(range)}>
        {t("transcribe.retranscribe.verb")}
      </Button>
      <Button
        isSmall
        icon={<UserRound aria-hidden />}
        disabledReason={first === undefined ? t("transcribe.no-text") : undefined}
        onClick={() => first && actions.openSpeakerPanel(first.id)}
      >
        {t("transcribe.speaker.verb")}
      </Button>
      <Button
        isSmall
        icon={<Scissors aria-hidden />}
        isBusy={state.isBusy}
        onClick={() => void transcribeRange()}
      >
        {t("transcribe.range.only")}
      </Button>
      <IconButton
        label={t("transcribe.range.drop")}
        isSmall
        onClick={() => actions.setRange(undefined)}
      >
        <X aria-hidden />
      </IconButton>
      {state.error !== undefined && (
        <span className="field-error" role="alert">
          {state.error}
        </span>
      )}
    </div>
  );
}
