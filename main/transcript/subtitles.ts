// Writes SubRip (srt) and WebVTT (vtt) files, one cue per segment. Pure.

export type Cue = {
  startSec: number;
  endSec: number;
  text: string;
  /** Used in WebVTT only. */ speaker?: string;
};

/** Numbered cues, `00:00:00,000 --> 00:00:03,320`, each followed by a blank line. Empty if there are no cues. */
export function toSrt(segments: readonly Cue[]): string {
  return toCues(segments)
    .map((cue, i) => `${i + 1}\n${formatTimeLine(cue, ",")}\n${cue.text}\n\n`)
    .join("");
}

/**
 * WebVTT, always with hours. `<` is escaped, since players would treat the following text as a tag and hide it. `&` is
 * not escaped: players display it, as do programs that read the file as plain text.
 */
export function toVtt(segments: readonly Cue[]): string {
  const cues = toCues(segments).map(
    (cue) => `${formatTimeLine(cue, ".")}\n${voiceTag(cue)}${cue.text.replaceAll("<", "&lt;")}\n\n`,
  );
  return `WEBVTT\n\n${cues.join("")}`;
}

type TimedCue = { startMs: number; endMs: number; text: string; speaker: string };

/** A voice tag without an end tag applies to the end of the cue. */
const voiceTag = ({ speaker }: TimedCue): string =>
  speaker === ""
    ? ""
    : `<v ${speaker.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")}>`;

/** In time order and whole milliseconds, without what cues must not contain: empty text, blank lines, arrows. */
function toCues(segments: readonly Cue[]): TimedCue[] {
  return segments
    .map(({ startSec, endSec, text, speaker = "" }) => {
      const startMs = Math.max(0, Math.round(startSec * 1000));
      return {
        startMs,
        endMs: Math.max(startMs, Math.round(endSec * 1000)),
        text: cueText(text),
        speaker: speaker.replaceAll(/\s+/g, " ").trim(),
      };
    })
    .filter((cue) => cue.text !== "")
    .sort((a, b) => a.startMs - b.startMs);
}

/** Matches only at the first hyphen of a run: matching at each one would take quadratic time. */
const arrowPattern = /(?<!-)-{2,}>/g;

const cueText = (text: string) =>
  text
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((line) => line.trim().replace(arrowPattern, "->"))
    .filter((line) => line !== "")
    .join("\n");

function formatTimeLine({ startMs, endMs }: TimedCue, decimalMark: "," | "."): string {
  return `${formatClockTime(startMs, decimalMark)} --> ${formatClockTime(endMs, decimalMark)}`;
}

const padDigits = (value: number, width: number) => String(Math.floor(value)).padStart(width, "0");

function formatClockTime(totalMs: number, decimalMark: "," | "."): string {
  const clock = [totalMs / 3_600_000, (totalMs / 60_000) % 60, (totalMs / 1000) % 60]
    .map((value) => padDigits(value, 2))
    .join(":");
  return `${clock}${decimalMark}${padDigits(totalMs % 1000, 3)}`;
}
