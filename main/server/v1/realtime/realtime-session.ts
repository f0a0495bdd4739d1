// A realtime transcription session, without its connection: takes client events, and sends the events of OpenAI's
// realtime interface.

import { randomUUID } from "node:crypto";
import { AppError } from "../../../contract/errors.ts";
import {
  clientEvent,
  type ClientEvent,
  type RealtimeConfig,
  unsettledField,
} from "../../../contract/realtime.ts";
import { parseJson } from "../../../contract/json.ts";
import { parseFields } from "../../../contract/validation.ts";
import {
  createLiveSession,
  type LiveSession,
} from "../../../jobs/transcription/live/live-session.ts";
import type { OpenLiveRecognizer } from "../../route-context.ts";
import { errorBody } from "../../http/error-response.ts";
import { createAudioBuffer, type AudioBuffer } from "./audio-buffer.ts";
import { describeBetaSession, describeSession, updateConfig } from "./session-config.ts";
import {
  completedEvent,
  createTurn,
  draftEvents,
  type ServerEvent,
  settledEvents,
  type Turn,
  voicedUntil,
} from "./turns.ts";

export type RealtimeSessionDeps = {
  send(event: ServerEvent): void;
  /** Id of the key that pays, or `window`. */
  caller: string;
  openRecognizer: OpenLiveRecognizer;
  /** @throws AppError if no channel has the model, or it cannot do this */
  checkModel(transcription: RealtimeConfig["transcription"]): Promise<void>;
  /** For errors that are not the client's. */
  toAppError(error: unknown): AppError;
};

export type RealtimeSession = {
  /** One event of the client, as JSON. Events are handled one after the other. */
  receive(json: Uint8Array): Promise<void>;
  close(): Promise<void>;
};

/** Audio that a client may send ahead. */
const maxBacklogSec = 60;
/** Shorter audio contains no word. */
const minCommitSec = 0.1;
const stepSec = 0.25;

/** What is recognized with one configuration: another one starts anew. */
type Listening = { audio: AudioBuffer; live: LiveSession; samples: number; committedSec: number };

export function createRealtimeSession(
  { send: sendEvent, caller, openRecognizer, checkModel, toAppError }: RealtimeSessionDeps,
  initial: { config: RealtimeConfig; isBeta: boolean },
): RealtimeSession {
  const id = `sess_${randomUUID().replaceAll("-", "").slice(0, 21)}`;
  let { config, isBeta } = initial;
  let listening: Listening | undefined;
  let turns: Turn[] = [];
  let lastItemId: string | null = null;
  let lastSpeechEndSec = 0;
  let turnEndSec = 0;
  const closing: Promise<void>[] = [];

  const send = (event: ServerEvent): void =>
    sendEvent({ event_id: `event_${randomUUID().replaceAll("-", "").slice(0, 21)}`, ...event });
  const sendAll = (events: readonly ServerEvent[]): void => events.forEach(send);
  const openTurn = (): Turn | undefined => turns.find(({ endSec }) => endSec === Infinity);
  const turnAt = (sec: number): Turn | undefined => turns.find(({ endSec }) => sec < endSec);
  const showsUnsettled = (): boolean => config.include.includes(unsettledField);

  function listen(): Listening {
    const { model, language, prompt } = config.transcription;
    const { threshold, prefix_padding_ms: prefixMs } = config.turnDetection ?? {};
    const audio = createAudioBuffer(config.format);
    const live = createLiveSession({
      recognizer: openRecognizer({
        options: {
          model,
          translate: false,
          temperature: 0,
          ...(language && { language }),
          ...(prompt && { prompt }),
        },
        caller,
        ...(threshold !== undefined && {
          policy: {
            enterProb: threshold,
            quitProb: Math.max(0.02, threshold - 0.15),
            leadSec: (prefixMs ?? 300) / 1000,
          },
        }),
      }),
      read: (from, to) => Promise.resolve(audio.read(from, to)),
      maxStepSec: stepSec,
      onDraft(draft) {
        const turn = turnAt(draft.startSec);
        if (turn !== undefined) sendAll(draftEvents(turn, draft, showsUnsettled()));
      },
      onSettled(startSec, segments) {
        const turn = turnAt(startSec);
        if (turn !== undefined) sendAll(settledEvents(turn, startSec, segments, showsUnsettled()));
      },
      onStep({ openSpeech, speechSegments }, processedSec) {
        if (config.turnDetection !== null) {
          // What belongs to a turn that has ended starts no other.
          const speech = [...speechSegments, ...(openSpeech === undefined ? [] : [openSpeech])];
          const first = speech.find(({ startSec }) => startSec >= turnEndSec);
          if (openTurn() === undefined && first !== undefined) startTurn(first.fromSec);
          lastSpeechEndSec = Math.max(lastSpeechEndSec, voicedUntil(openSpeech, speechSegments));
          const silenceSec = processedSec - lastSpeechEndSec;
          const turn = openTurn();
          if (turn && silenceSec >= config.turnDetection.silence_duration_ms / 1000) {
            send({
              type: "input_audio_buffer.speech_stopped",
              audio_end_ms: Math.round(processedSec * 1000),
              item_id: turn.itemId,
            });
            endTurn(turn, live, processedSec, "searched");
          }
        }
        audio.keepFrom(live.neededFrom());
      },
      onFailure(error, what) {
        if (what === "session") fail(error);
      },
    });
    lastSpeechEndSec = 0;
    turnEndSec = 0;
    return { audio, live, samples: 0, committedSec: 0 };
  }

  function startTurn(startSec: number): Turn {
    const turn = createTurn(startSec);
    turns.push(turn);
    if (config.turnDetection !== null)
      send({
        type: "input_audio_buffer.speech_started",
        audio_start_ms: Math.round(startSec * 1000),
        item_id: turn.itemId,
      });
    return turn;
  }

  function endTurn(turn: Turn, live: LiveSession, endSec: number, after: "last" | "searched") {
    turn.endSec = endSec;
    turnEndSec = endSec;
    const { itemId } = turn;
    send({ type: "input_audio_buffer.committed", item_id: itemId, previous_item_id: lastItemId });
    const item = {
      id: itemId,
      object: "realtime.item",
      type: "message",
      status: "completed",
      role: "user",
      content: [{ type: "input_audio", transcript: null }],
    };
    const added = { previous_item_id: lastItemId, item };
    if (isBeta) send({ type: "conversation.item.created", ...added });
    else {
      send({ type: "conversation.item.added", ...added });
      send({ type: "conversation.item.done", ...added });
    }
    lastItemId = itemId;
    complete(turn, live.endSpeech(after)).catch(fail);
  }

  async function complete(turn: Turn, settled: Promise<void>): Promise<void> {
    await settled;
    // It failed, or was discarded.
    if (!turns.includes(turn)) return;
    turns = turns.filter((other) => other !== turn);
    send(completedEvent(turn));
  }

  /** The turns that were open fail; audio that follows is recognized anew. */
  function fail(error: unknown): void {
    const { message, type, code, param } = errorBody(toAppError(error)).error;
    const failed = turns.length > 0 ? turns : [createTurn(0)];
    stopListening();
    for (const { itemId } of failed)
      send({
        type: "conversation.item.input_audio_transcription.failed",
        item_id: itemId,
        content_index: 0,
        error: { type, message, ...(code && { code }), ...(param && { param }) },
      });
  }

  function stopListening(): void {
    turns = [];
    if (listening !== undefined) closing.push(listening.live.close());
    listening = undefined;
  }

  function append(base64: string): void {
    const bytes = Buffer.from(base64, "base64");
    if (base64.length > 0 && bytes.length === 0)
      throw new AppError("realtime.notBase64", {}, { param: "audio" });
    listening ??= listen();
    if (listening.live.backlogSec() > maxBacklogSec)
      throw new AppError("realtime.tooFast", { max: maxBacklogSec }, { param: "audio" });
    if (config.turnDetection === null && openTurn() === undefined)
      startTurn(listening.samples / 16_000);
    listening.samples = listening.audio.append(bytes);
    listening.live.onSamples(listening.samples);
  }

  function commit(): void {
    const endSec = (listening?.samples ?? 0) / 16_000;
    const turn = openTurn();
    const isEmpty = endSec - (listening?.committedSec ?? 0) < minCommitSec;
    if (listening === undefined || isEmpty)
      throw new AppError("realtime.nothingToCommit", { minMs: minCommitSec * 1000 });
    listening.committedSec = endSec;
    endTurn(turn ?? startTurn(endSec), listening.live, endSec, "last");
  }

  function sendSession(change: "created" | "updated"): void {
    send(
      isBeta
        ? { type: `transcription_session.${change}`, session: describeBetaSession(id, config) }
        : { type: `session.${change}`, session: describeSession(id, config) },
    );
  }

  async function update(session: Record<string, unknown>, isBetaUpdate: boolean): Promise<void> {
    const next = updateConfig(config, session, isBetaUpdate);
    await checkModel(next.transcription);
    isBeta = isBetaUpdate;
    const isSame = (["format", "transcription", "turnDetection"] as const).every(
      (name) => JSON.stringify(next[name]) === JSON.stringify(config[name]),
    );
    config = next;
    // What was said so far is finished as it began.
    if (!isSame && listening !== undefined) {
      const { live, samples } = listening;
      const turn = openTurn();
      if (turn !== undefined) endTurn(turn, live, samples / 16_000, "last");
      closing.push(live.endSpeech().then(live.close));
      listening = undefined;
    }
    sendSession("updated");
  }

  async function handle(event: ClientEvent): Promise<void> {
    if (event.type === "session.update") await update(event.session, false);
    else if (event.type === "transcription_session.update") await update(event.session, true);
    else if (event.type === "input_audio_buffer.append") append(event.audio);
    else if (event.type === "input_audio_buffer.commit") commit();
    else {
      stopListening();
      send({ type: "input_audio_buffer.cleared" });
    }
  }

  sendSession("created");

  return {
    async receive(json) {
      let eventId: unknown;
      try {
        const value = parseJson(json, () => new AppError("request.notJson"));
        if (typeof value !== "object" || value === null) throw new AppError("request.notObject");
        eventId = (value as Record<string, unknown>)["event_id"];
        await handle(parseFields(clientEvent, value as Record<string, unknown>));
      } catch (error) {
        send({
          type: "error",
          error: {
            ...errorBody(toAppError(error)).error,
            event_id: typeof eventId === "string" ? eventId : null,
          },
        });
      }
    },
    async close() {
      stopListening();
      await Promise.allSettled(closing);
    },
  };
}
