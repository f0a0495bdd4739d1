// The player bar along the bottom, shown when something is loaded.

import "./player-bar.css";
import { Pause, Play, RotateCcw, RotateCw, X } from "lucide-react";
import { formatTime } from "../messages/format.ts";
import { t } from "../messages/messages.ts";
import {
  closePlayer,
  rates,
  seek,
  setRate,
  skip,
  skipSec,
  togglePlay,
  usePlayer,
} from "../stores/player.ts";
import { IconButton } from "../ui/button.tsx";
import { Select } from "../ui/field.tsx";
import { Waveform } from "../ui/waveform.tsx";

export function PlayerBar() {
  const { source, positionSec, durationSec, isPlaying, rate, error, pageWaveformId } = usePlayer();
  if (source === undefined) return null;
  const allRates = rates.includes(rate as (typeof rates)[number])
    ? rates
    : [...rates, rate].toSorted((a, b) => a - b);
  return (
    <aside className="player" aria-label={t("frame.player")}>
      <div className="player-title">
        {source.path === undefined ? (
          <span>{source.title}</span>
        ) : (
          <a href={`#${source.path}`}>{source.title}</a>
        )}
        {error === undefined ? (
          source.speaker !== undefined && <span className="player-speaker">{source.speaker}</span>
        ) : (
          <span className="player-error" role="alert">
            {error === "failed" ? t("frame.player.failed") : error}
          </span>
        )}
      </div>
      <div className="player-main">
        <IconButton
          label={t("frame.player.back", { sec: skipSec })}
          keys=","
          className="player-skip"
          onClick={() => skip(-skipSec)}
        >
          <RotateCcw aria-hidden />
          <SkippedSeconds />
        </IconButton>
        <IconButton
          label={isPlaying ? t("frame.player.pause") : t("frame.player.play")}
          keys="Space"
          className="player-play"
          onClick={togglePlay}
        >
          {isPlaying ? <Pause aria-hidden /> : <Play aria-hidden />}
        </IconButton>
        <IconButton
          label={t("frame.player.ahead", { sec: skipSec })}
          keys="."
          className="player-skip"
          onClick={() => skip(skipSec)}
        >
          <RotateCw aria-hidden />
          <SkippedSeconds />
        </IconButton>
      </div>
      <div className="player-strip">
        <Waveform
          label={t("frame.player.position", { title: source.title })}
          // A waveform of the same audio on the page is enough: this becomes a plain line.
          peaks={source.id === pageWaveformId ? undefined : source.peaks}
          durationSec={durationSec}
          positionSec={positionSec}
          onSeek={seek}
          stepSec={skipSec}
        />
      </div>
      <div className="player-end">
        <span>
          {formatTime(positionSec)} / {formatTime(durationSec)}
        </span>
        <span className="player-rate">
          <Select
            label={t("frame.player.rate")}
            isLabelHidden
            isQuiet
            value={rate}
            onChange={(event) => setRate(Number(event.currentTarget.value))}
          >
            {allRates.map((each) => (
              <option key={each} value={each}>
                {each}×
              </option>
            ))}
          </Select>
        </span>
        <IconButton label={t("frame.player.close")} isSmall onClick={closePlayer}>
          <X aria-hidden />
        </IconButton>
      </div>
    </aside>
  );
}

/** The number inside the round arrow of a skip button. */
const SkippedSeconds = () => (
  <span className="player-skip-number" aria-hidden>
    {skipSec}
  </span>
);
