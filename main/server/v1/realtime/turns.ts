// The turns of a realtime session: what is said until a pause, or until the client commits. Each becomes an item, whose
// text grows by deltas and is replaced by the completed transcript.

import { randomUUID } from "node:crypto";
import type { OpenSpeech } from "../../../audio/dsp/vad-segmenter.ts";
import { separatorBefore } from "../../../contract/languages.ts";
import { joinSegments } from "../../../contract/transcript.ts";
import type { Draft } from "../../../jobs/transcription/live/live-recognizer.ts";
import { textAfter } from "../../../jobs/transcription/live/word-agreement.ts";
import type { TranscribedSegment } from "../../../library/transcript-rows.ts";

export type ServerEvent = { readonly type: string } & Readonly<Record<string, unknown>>;

export type Turn = {
  readonly itemId: string;
  readonly startSec: number;
  /** Infinity while it goes on. */
  endSec: number;
  readonly segments: TranscribedSegment[];
  /** What was sent of speech that is not settled, by its start. */
  readonly drafts: Map<number, { sent: string; unsettled: string }>;
  hasText: boolean;
};

const createItemId = (): string => `item_${randomUUID().replaceAll("-", "").slice(0, 21)}`;

export function createTurn(startSec: number): Turn {
  return {
    itemId: createItemId(),
    startSec,
    endSec: Infinity,
    segments: [],
    drafts: new Map(),
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
  const { sent, unsettled: shown } = turn.drafts.get(draft.startSec) ?? { sent: "", unsettled: "" };
  const delta = draft.settled.slice(sent.length);
  const unsettled = showsUnsettled ? draft.unsettled : "";
  turn.drafts.set(draft.startSec, { sent: draft.settled, unsettled });
  if (delta === "" && unsettled === shown) return [];
  return [deltaEvent(turn, delta, { isStart: sent === "", unsettled, showsUnsettled })];
}

/** The delta for what was not sent of speech that has ended. */
export function settledEvents(
  turn: Turn,
  startSec: number,
  segments: readonly TranscribedSegment[],
  showsUnsettled: boolean,
): ServerEvent[] {
  const { sent, unsettled } = turn.drafts.get(startSec) ?? { sent: "", unsettled: "" };
  turn.drafts.delete(startSec);
  turn.segments.push(...segments);
  // Deltas are in the order of time.
  const isPassed = [...turn.drafts].some(([sec, draft]) => sec > startSec && draft.sent !== "");
  const delta = isPassed ? "" : textAfter(joinSegments(segments, "transcribe"), sent);
  if (delta === "" && unsettled === "") return [];
  const { language } = segments[0] ?? {};
  return [
    deltaEvent(turn, delta, { isStart: sent === "", unsettled: "", showsUnsettled }, language),
  ];
}

function deltaEvent(
  turn: Turn,
  text: string,
  {
    isStart,
    unsettled,
    showsUnsettled,
  }: { isStart: boolean; unsettled: string; showsUnsettled: boolean },
  language = turn.segments.at(-1)?.language ?? "",
): ServerEvent {
  const isJoined = turn.hasText && isStart && text !== "" && !/^\s/.test(text);
  turn.hasText ||= text !== "";
  return {
    type: deltaType,
    item_id: turn.itemId,
    content_index: 0,
    delta: (isJoined ? separatorBefore(language) : "") + text,
    ...(showsUnsettled ? { unsettled } : {}),
  };
}

/** @param showsLanguage tell also the language, if known */
export const completedEvent = (turn: Turn, showsLanguage: boolean): ServerEvent => ({
  type: "conversation.item.input_audio_transcription.completed",
  item_id: turn.itemId,
  content_index: 0,
  transcript: joinSegments(turn.segments, "transcribe"),
  ...(showsLanguage && turn.segments[0] && { language: turn.segments[0].language }),
  usage: {
    type: "duration",
    seconds: Math.round(Math.max(0, turn.endSec - turn.startSec) * 100) / 100,
  },
});

export const failedEvent = ({ itemId }: Turn, error: object): ServerEvent => ({
  type: "conversation.item.input_audio_transcription.failed",
  item_id: itemId,
  content_index: 0,
  error,
});

/** A turn that has ended becomes an item. */
export function itemEvents(
  { itemId }: Turn,
  previousItemId: string | null,
  isBeta: boolean,
): ServerEvent[] {
  const item = {
    id: itemId,
    object: "realtime.item",
    type: "message",
    status: "completed",
    role: "user",
    content: [{ type: "input_audio", transcript: null }],
  };
  const types = isBeta
    ? ["conversation.item.created"]
    : ["conversation.item.added", "conversation.item.done"];
  return [
    {
      type: "input_audio_buffer.committed",
      item_id: itemId,
      previous_item_id: previousItemId,
    },
    ...types.map((type) => ({ type, previous_item_id: previousItemId, item })),
  ];
}
