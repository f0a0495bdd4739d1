// The turns of a realtime session: what is said until a pause, or until the client commits. Each becomes an item, whose
// text grows by deltas and is replaced by the completed transcript.

import { randomUUID } from "node:crypto";
import type { OpenSpeech } from "../../../audio/dsp/vad-segmenter.ts";
import { separatorBefore } from "../../../contract/languages.ts";
import { joinSegments } from "../../../contract/transcript.ts";
import type { Draft } from "../../../jobs/transcription/live/live-session.ts";
import { textAfter } from "../../../jobs/transcription/live/word-agreement.ts";
import type { TranscribedSegment } from "../../../library/transcript-rows.ts";

export type ServerEvent = { readonly type: string } & Readonly<Record<string, unknown>>;

export type Turn = {
  readonly itemId: string;
  readonly startSec: number;
  /** Infinity while it goes on. */
  endSec: number;
  readonly segments: TranscribedSegment[];
  /** Of the speech that goes on: its start, and what was sent of it. */
  draft: { startSec: number; sent: string; unsettled: string } | undefined;
  hasText: boolean;
};

const createItemId = (): string => `item_${randomUUID().replaceAll("-", "").slice(0, 21)}`;

export function createTurn(startSec: number): Turn {
  return {
    itemId: createItemId(),
    startSec,
    endSec: Infinity,
    segments: [],
    draft: undefined,
    hasText: false,
  };
}

/** The end of the voice so far. */
export const voicedUntil = (
  openSpeech: OpenSpeech | undefined,
  segments: readonly { endSec: number }[],
): number => Math.max(openSpeech?.voicedUntilSec ?? 0, ...segments.map(({ endSec }) => endSec));

const deltaType = "conversation.item.input_audio_transcription.delta";

/** The delta for what is settled now. @param showsUnsettled tell also the words that may change */
export function draftEvents(turn: Turn, draft: Draft, showsUnsettled: boolean): ServerEvent[] {
  if (turn.draft?.startSec !== draft.startSec)
    turn.draft = { startSec: draft.startSec, sent: "", unsettled: "" };
  const delta = draft.settled.slice(turn.draft.sent.length);
  const unsettled = showsUnsettled ? draft.unsettled : "";
  if (delta === "" && unsettled === turn.draft.unsettled) return [];
  const event = deltaEvent(turn, delta, showsUnsettled ? { unsettled } : {});
  turn.draft = { startSec: draft.startSec, sent: draft.settled, unsettled };
  return [event];
}

/** The delta for what was not sent of speech that has ended. */
export function settledEvents(
  turn: Turn,
  segments: readonly TranscribedSegment[],
  showsUnsettled: boolean,
): ServerEvent[] {
  const sent = turn.draft?.sent ?? "";
  const delta = textAfter(joinSegments(segments, "transcribe"), sent);
  const hadUnsettled = (turn.draft?.unsettled ?? "") !== "";
  turn.segments.push(...segments);
  const events =
    delta === "" && !hadUnsettled
      ? []
      : [deltaEvent(turn, delta, showsUnsettled ? { unsettled: "" } : {}, segments[0]?.language)];
  turn.draft = undefined;
  return events;
}

function deltaEvent(
  turn: Turn,
  text: string,
  extension: { unsettled?: string },
  language = turn.segments.at(-1)?.language ?? "",
): ServerEvent {
  const separator =
    turn.hasText && text !== "" && !/^\s/.test(text) && isStart(turn)
      ? separatorBefore(language)
      : "";
  turn.hasText ||= text !== "";
  return {
    type: deltaType,
    item_id: turn.itemId,
    content_index: 0,
    delta: separator + text,
    ...extension,
  };
}

/** Nothing of this speech was sent before. */
const isStart = ({ draft }: Turn): boolean => draft === undefined || draft.sent === "";

export const completedEvent = (turn: Turn): ServerEvent => ({
  type: "conversation.item.input_audio_transcription.completed",
  item_id: turn.itemId,
  content_index: 0,
  transcript: joinSegments(turn.segments, "transcribe"),
  usage: {
    type: "duration",
    seconds: Math.round(Math.max(0, turn.endSec - turn.startSec) * 100) / 100,
  },
});
