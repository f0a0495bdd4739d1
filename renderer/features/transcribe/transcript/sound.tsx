// The waveform above the text: played part, a range to drag, what can be done with that range, places worth a look.

import "./sound.css";
import { Play, RotateCcw, Scissors, X } from "lucide-react";
import { useDeferredValue, useMemo, useState } from "react";
import { call } from "../../../api/client.ts";
import { messageOf } from "../../../api/error.ts";
import { formatTime } from "../../../messages/format.ts";
import { t } from "../../../messages/messages.ts";
import { keepItem, pathOf } from "../../../stores/items.ts";
import { usePlayer } from "../../../stores/player.ts";
import { usePreferences } from "../../../stores/preferences.ts";
import { go } from "../../../stores/route.ts";
import { Button, IconButton } from "../../../ui/button.tsx";
import { Waveform, type Range } from "../../../ui/waveform.tsx";
import { doubtfulWords } from "../document/doubtful.ts";
import { segmentAt, wordAt } from "../document/place.ts";
import { CoverageBar } from "./coverage-bar.tsx";
import { editingHint } from "./segment-text.tsx";
import { useDocument, useTranscript, useView } from "./use-transcript.ts";

/** The most doubtful words get a mark; more of them would say nothing. */
const maxMarkers = 40;

export function Sound() {
  const { item, open, actions, peaks } = useTranscript();
  const positionSec = usePlayer((state) => (state.source?.id === item.id ? state.positionSec : 0));
  const segments = useDeferredValue(useDocument((state) => state.segments));
  const range = useView((view) => view.range);
  const isEditing = useView((view) => view.editing !== undefined);
  const markers = useMemo(
    () =>
      doubtfulWords(segments)
        .slice(0, maxMarkers)
        .flatMap((word) => word.places.slice(0, 3).map((place) => place.startSec)),
    [segments],
  );
  const wordAround = (sec: number): string | undefined => {
    const { segments: now } = open.store.getState();
    const segment = now[segmentAt(now, sec)];
    return segment?.words[wordAt(segment, sec) ?? -1]?.word.trim();
  };
  return (
    <section className="sound" aria-label={t("transcribe.sound")}>
      {item.hasMedia && (
        <div className="sound-wave">
          <Waveform
            label={t("transcribe.waveform", { title: item.title })}
            peaks={peaks}
            durationSec={item.durationSec}
            positionSec={positionSec}
            onSeek={actions.seek}
            range={range}
            onRange={actions.setRange}
            markers={markers}
            hoverText={wordAround}
          />
        </div>
      )}
      {range !== undefined && <RangeBar range={range} />}
      <CoverageBar />
      {item.state === "done" && segments.length > 0 && (
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

function RangeBar({ range }: { range: Range }) {
  const { item, actions } = useTranscript();
  const options = usePreferences((state) => state.transcribe);
  const [state, setState] = useState<{ isBusy: boolean; error?: string }>({ isBusy: false });
  const part = { from: formatTime(range.fromSec), to: formatTime(range.toSec) };

  async function hearPart(): Promise<void> {
    setState({ isBusy: true });
    try {
      const made = await call(
        "transcribeItem",
        { ...options, fromSec: range.fromSec, toSec: range.toSec },
        item.id,
      );
      keepItem(made);
      actions.setRange(undefined);
      go(pathOf(made));
    } catch (error) {
      setState({ isBusy: false, error: messageOf(error) });
    }
  }

  return (
    <div className="sound-range">
      <span className="figures">{t("transcribe.range", part)}</span>
      <Button isSmall icon={<Play aria-hidden />} onClick={() => actions.playFrom(range.fromSec)}>
        {t("transcribe.range.play")}
      </Button>
      <Button isSmall icon={<RotateCcw aria-hidden />} onClick={() => actions.hearAgain(range)}>
        {t("transcribe.again.verb")}
      </Button>
      <Button
        isSmall
        icon={<Scissors aria-hidden />}
        isBusy={state.isBusy}
        onClick={() => void hearPart()}
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
