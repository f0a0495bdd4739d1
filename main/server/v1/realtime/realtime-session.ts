// A realtime transcription session, without its connection: takes client events, and sends the events of OpenAI's
// realtime interface.

import { randomUUID } from "node:crypto";
import { AppError } from "../../../contract/errors.ts";
import {
  clientEvent,
  type ClientEvent,
  languageField,
  type RealtimeConfig,
  unsettledField,
} from "../../../contract/realtime.ts";
import { parseJson } from "../../../contract/json.ts";
import { parseFields } from "../../../contract/validation.ts";
import type { OpenLiveRecognizer } from "../../route-context.ts";
import { errorBody } from "../../http/error-response.ts";
import { type Listening, nothingToCommit, startListening } from "./listening.ts";
import { describeBetaSession, describeSession, updateConfig } from "./session-config.ts";
import { createTurnList } from "./turn-list.ts";
import type { ServerEvent } from "./turns.ts";

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

export const createId = (prefix: string): string =>
  `${prefix}_${randomUUID().replaceAll("-", "").slice(0, 21)}`;

export function createRealtimeSession(
  { send: sendEvent, caller, openRecognizer, checkModel, toAppError }: RealtimeSessionDeps,
  initial: { config: RealtimeConfig; isBeta: boolean },
): RealtimeSession {
  const id = createId("sess");
  let { config, isBeta } = initial;
  /** What is recognized with the present configuration: another one starts anew. */
  let listening: Listening | undefined;
  let lastItemId: string | null = null;
  const active = createActiveListenings();
  let isClosed = false;

  const send = (event: ServerEvent): void => sendEvent({ event_id: createId("event"), ...event });

  function listen(): Listening {
    const turns = createTurnList({
      send,
      detectsTurns: config.turnDetection !== null,
      isBeta: () => isBeta,
      showsUnsettled: () => config.include.includes(unsettledField),
      showsLanguage: () => config.include.includes(languageField),
      follow(itemId) {
        const previous = lastItemId;
        lastItemId = itemId;
        return previous;
      },
    });
    const started = startListening({
      config,
      caller,
      turns,
      openRecognizer,
      // The turns that were open fail; audio that follows is recognized anew.
      onFailure(error) {
        const { message, type, code, param } = errorBody(toAppError(error)).error;
        turns.fail({ type, message, ...(code && { code }), ...(param && { param }) });
        if (listening === started) listening = undefined;
        void active.discard(started);
      },
    });
    active.add(started);
    return started;
  }

  function stopListening(): void {
    if (listening !== undefined) void active.discard(listening);
    listening = undefined;
  }

  function append(base64: string): void {
    const bytes = decodeAudio(base64);
    listening ??= listen();
    listening.append(bytes);
  }

  function commit(): void {
    if (listening === undefined) throw nothingToCommit();
    listening.commit();
  }

  const sendSession = (change: "created" | "updated"): void =>
    send(sessionEvent(change, id, config, isBeta));

  async function update(session: Record<string, unknown>, isBetaUpdate: boolean): Promise<void> {
    const next = updateConfig(config, session, isBetaUpdate);
    await checkModel(next.transcription);
    isBeta = isBetaUpdate;
    const isSame = hasSameRecognition(next, config);
    config = next;
    // What was said so far is finished as it began.
    if (!isSame && listening !== undefined) {
      const ended = listening;
      listening = undefined;
      await active.finish(ended);
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
      if (isClosed) return;
      let eventId: unknown;
      try {
        const value = parseEvent(json);
        eventId = value["event_id"];
        await handle(parseFields(clientEvent, value));
      } catch (error) {
        send(errorEvent(toAppError(error), eventId));
      }
    },
    async close() {
      isClosed = true;
      listening = undefined;
      await active.discardAll();
    },
  };
}

const sessionEvent = (
  change: "created" | "updated",
  id: string,
  config: RealtimeConfig,
  isBeta: boolean,
): ServerEvent =>
  isBeta
    ? { type: `transcription_session.${change}`, session: describeBetaSession(id, config) }
    : { type: `session.${change}`, session: describeSession(id, config) };

/** Everything that is recognized, with what is still ending. */
function createActiveListenings() {
  const active = new Set<Listening>();
  let finishing: Promise<void> = Promise.resolve();

  const afterwards = (ended: Listening, end: Promise<void>): Promise<void> =>
    end.catch(() => {}).finally(() => void active.delete(ended));
  const discard = (ended: Listening): Promise<void> => afterwards(ended, ended.close());

  return {
    add: (started: Listening): void => void active.add(started),
    discard,
    /** Begins to finish it. One at a time: meanwhile the client's messages wait, within a limit. */
    async finish(ended: Listening): Promise<void> {
      await finishing;
      finishing = afterwards(ended, ended.finish());
    },
    discardAll: (): Promise<unknown> => Promise.all(Array.from(active, discard)),
  };
}

export function parseEvent(json: Uint8Array): Record<string, unknown> {
  const value = parseJson(json, () => new AppError("request.notJson"));
  if (typeof value !== "object" || value === null) throw new AppError("request.notObject");
  return value as Record<string, unknown>;
}

export const errorEvent = (error: AppError, eventId: unknown): ServerEvent => ({
  type: "error",
  error: { ...errorBody(error).error, event_id: typeof eventId === "string" ? eventId : null },
});

function decodeAudio(base64: string): Uint8Array {
  const bytes = Buffer.from(base64, "base64");
  if (base64.length > 0 && bytes.length === 0)
    throw new AppError("realtime.notBase64", {}, { param: "audio" });
  return bytes;
}

/** Whether audio goes on to be recognized as before. */
const hasSameRecognition = (one: RealtimeConfig, other: RealtimeConfig): boolean =>
  (["format", "transcription", "turnDetection"] as const).every(
    (name) => JSON.stringify(one[name]) === JSON.stringify(other[name]),
  );
