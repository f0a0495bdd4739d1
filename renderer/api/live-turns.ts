// Transcription while people speak, turn by turn, until the window ends it: captions.

import { type LiveEvent, type LiveTextOptions, openLiveConnection } from "./live-connection.ts";

export type LiveTurn = {
  readonly id: string;
  /** Words that stay, until the turn is completed. */
  readonly settled: string;
  /** Words that may change. */
  readonly unsettled: string;
  readonly isCompleted: boolean;
  /** ISO 639-1, of a completed turn. */
  readonly language?: string | undefined;
  /** Place in what was pushed, of a completed turn. */
  readonly startMs: number;
  readonly endMs: number;
};

export type LiveTurns = {
  /** 16-bit samples at 16 kHz. */
  push(block: Int16Array): void;
  /** Ends the turn that is open. Resolves when it is completed, or cannot be. */
  finish(): Promise<void>;
  close(): void;
};

export type LiveTurnsEvents = {
  onTurn(turn: LiveTurn): void;
  /** There will be no more turns. */
  onFailure(message: string | undefined): void;
};

const maxFinishMs = 5000;

export function openLiveTurns(
  options: LiveTextOptions,
  { onTurn, onFailure }: LiveTurnsEvents,
): LiveTurns {
  const turns = new Map<string, LiveTurn>();
  const finished = Promise.withResolvers<void>();
  let isFinishing = false;
  let lastItemId: string | undefined;
  let hasEnded = false;

  function change(id: string, patch: Partial<LiveTurn>): LiveTurn {
    const before = turns.get(id) ?? {
      id,
      settled: "",
      unsettled: "",
      isCompleted: false,
      startMs: 0,
      endMs: 0,
    };
    const turn = { ...before, ...patch };
    turns.set(id, turn);
    return turn;
  }

  function end(message?: string): void {
    finished.resolve();
    if (hasEnded) return;
    hasEnded = true;
    connection.close();
    if (!isFinishing) onFailure(message);
  }

  function onEvent({ type, item_id: id, ...event }: LiveEvent): void {
    if (type === "error" || type.endsWith(".failed")) end(event.error?.message);
    else if (type.endsWith(".speech_started")) change(id, { startMs: event.audio_start_ms });
    else if (type.endsWith(".speech_stopped")) change(id, { endMs: event.audio_end_ms });
    else if (type.endsWith(".committed")) lastItemId = id;
    else if (type.endsWith(".delta")) {
      const settled = (turns.get(id)?.settled ?? "") + event.delta;
      onTurn(change(id, { settled, unsettled: event.unsettled }));
    } else if (type.endsWith(".completed")) {
      const { transcript, language } = event;
      onTurn(change(id, { settled: transcript, unsettled: "", isCompleted: true, language }));
      turns.delete(id);
      if (isFinishing && id === lastItemId) finished.resolve();
    }
  }

  const connection = openLiveConnection(
    { ...options, findsTurns: true },
    { onEvent, onClose: () => end() },
  );
  return {
    push: connection.push,
    finish() {
      isFinishing = true;
      connection.send({ type: "input_audio_buffer.commit" });
      setTimeout(finished.resolve, maxFinishMs);
      return finished.promise;
    },
    close() {
      hasEnded = true;
      connection.close();
    },
  };
}
