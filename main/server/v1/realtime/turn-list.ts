// The turns of a realtime session that are not completed: opens and ends them, and sends what becomes of them.

import type { Draft } from "../../../jobs/transcription/live/live-recognizer.ts";
import type { TranscribedSegment } from "../../../library/transcript-rows.ts";
import {
  completedEvent,
  createTurn,
  draftEvents,
  failedEvent,
  itemEvents,
  type ServerEvent,
  settledEvents,
  type Turn,
} from "./turns.ts";

export type TurnListOptions = {
  send(event: ServerEvent): void;
  /** Events tell when speech starts and stops. */
  detectsTurns: boolean;
  isBeta(): boolean;
  showsUnsettled(): boolean;
  /** Completed transcripts tell it. */
  showsLanguage(): boolean;
  /** Names the next item, and returns the one before it. */
  follow(itemId: string): string | null;
};

export type TurnList = {
  start(startSec: number): Turn;
  /** The one that goes on. */
  open(): Turn | undefined;
  /** Whether speech that starts there belongs to no turn that has ended. */
  isNew(startSec: number): boolean;
  draft(draft: Draft): void;
  settle(startSec: number, segments: readonly TranscribedSegment[]): void;
  /** A pause was found. */
  stopSpeech(turn: Turn, sec: number): void;
  end(turn: Turn, endSec: number): void;
  complete(turn: Turn): void;
  fail(error: object): void;
  discard(): void;
};

/**
 * Speech is searched in frames, which do not end with the samples of a turn: what starts within the last one is new. A
 * voice is longer.
 */
const frameSec = 0.1;

export function createTurnList({
  send,
  detectsTurns,
  isBeta,
  showsUnsettled,
  showsLanguage,
  follow,
}: TurnListOptions): TurnList {
  let turns: Turn[] = [];
  let endedSec = 0;
  const turnAt = (sec: number): Turn | undefined =>
    turns.find(({ endSec }) => sec < endSec - frameSec);
  const announce = (change: "started" | "stopped", turn: Turn, sec: number): void => {
    if (!detectsTurns) return;
    send({
      type: `input_audio_buffer.speech_${change}`,
      [change === "started" ? "audio_start_ms" : "audio_end_ms"]: Math.round(sec * 1000),
      item_id: turn.itemId,
    });
  };
  return {
    start(startSec) {
      const turn = createTurn(startSec);
      turns.push(turn);
      announce("started", turn, startSec);
      return turn;
    },
    open: () => turns.find(({ endSec }) => endSec === Infinity),
    isNew: (startSec) => startSec >= endedSec - frameSec,
    draft(draft) {
      const turn = turnAt(draft.startSec);
      if (turn !== undefined) draftEvents(turn, draft, showsUnsettled()).forEach(send);
    },
    settle(startSec, segments) {
      const turn = turnAt(startSec);
      if (turn !== undefined)
        settledEvents(turn, startSec, segments, showsUnsettled()).forEach(send);
    },
    stopSpeech: (turn, sec) => announce("stopped", turn, sec),
    end(turn, endSec) {
      turn.endSec = endedSec = endSec;
      itemEvents(turn, follow(turn.itemId), isBeta()).forEach(send);
    },
    complete(turn) {
      // Otherwise it failed, or was discarded.
      if (!turns.includes(turn)) return;
      turns = turns.filter((other) => other !== turn);
      send(completedEvent(turn, showsLanguage()));
    },
    fail(error) {
      const failed = turns.length > 0 ? turns : [createTurn(endedSec)];
      turns = [];
      for (const turn of failed) send(failedEvent(turn, error));
    },
    discard() {
      turns = [];
    },
  };
}
