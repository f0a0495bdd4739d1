// A realtime session that is passed through to the provider of its model: events go on as they are, but for the names
// of the model. The client has a `session.created` already.

import type { Router } from "../../../channels/router.ts";
import { AppError } from "../../../contract/errors.ts";
import { clientEvent, languageField, unsettledField } from "../../../contract/realtime.ts";
import { parseFields } from "../../../contract/validation.ts";
import type { Metering } from "../../../usage/metering.ts";
import { createId, errorEvent, parseEvent, type RealtimeSession } from "./realtime-session.ts";
import { createRelayMeter, type RelayMeter } from "./relay-meter.ts";

export type RelayDeps = {
  router: Pick<Router, "openRealtime">;
  metering: Metering;
  /** Id of the key that pays, or `window`. */
  caller: string;
  via: readonly string[];
  send(json: string): void;
  /** Closes the client's connection after what was sent. */
  end(): void;
  toAppError(error: unknown): AppError;
};

type Fields = Record<string, unknown>;

const completedType = "conversation.item.input_audio_transcription.completed";
const isUpdate = (type: unknown): boolean =>
  type === "session.update" || type === "transcription_session.update";

/** @returns undefined if the model's channel has no realtime sessions */
export async function openRelay(
  deps: RelayDeps,
  model: string,
  isBeta: boolean,
): Promise<RealtimeSession | undefined> {
  const { send, end, toAppError } = deps;
  let meter: RelayMeter | undefined;
  let hasCreated = false;
  const fail = (error: AppError): void =>
    send(JSON.stringify({ event_id: createId("event"), ...errorEvent(error, null) }));

  const upstream = await deps.router.openRealtime(model, {
    isBeta,
    via: deps.via,
    onEvent(json) {
      const event = parseUpstream(json);
      if (event === undefined) return;
      if (!hasCreated && String(event["type"]).endsWith("session.created")) hasCreated = true;
      else {
        nameModel(event["session"], () => model);
        const text = JSON.stringify(event);
        meter?.addSentBytes(Buffer.byteLength(text));
        if (event["type"] === completedType) meter?.endRequest();
        send(text);
      }
    },
    onEnd(error) {
      meter?.endRequest(error);
      if (error !== undefined) fail(error);
      end();
    },
  });
  if (upstream === undefined) return undefined;
  const { connection, attempt } = upstream;
  meter = createRelayMeter(deps.metering, { caller: deps.caller, model, upstream: attempt });
  const charged = meter;
  let bytesPerSec = pcmBytesPerSec;
  let isClosed = false;

  function update(event: Fields): void {
    const session = fieldsOf(event["session"]);
    if (session["type"] === "realtime") throw new AppError("realtime.noConversation");
    nameModel(session, (name) => {
      if (name !== model && name !== connection.model)
        throw new AppError("realtime.otherModel", { model }, { param: "model" });
      return connection.model;
    });
    bytesPerSec = bytesPerSecOf(session) ?? bytesPerSec;
  }

  async function pass(event: Fields): Promise<void> {
    // Nothing else: what a provider generates would not be charged.
    parseFields(clientEvent, event);
    if (isUpdate(event["type"])) update(event);
    const { audio } = event;
    if (typeof audio === "string")
      await charged.add((audio.length * 3) / 4 / bytesPerSec, audio.length);
    await connection.send(JSON.stringify(event));
  }

  async function close(): Promise<void> {
    isClosed = true;
    charged.endRequest();
    connection.close();
    await Promise.resolve();
  }

  return {
    async receive(json) {
      if (isClosed) return;
      let event: Fields = {};
      try {
        event = parseEvent(json);
        await pass(event);
      } catch (error) {
        const appError = toAppError(error);
        send(
          JSON.stringify({
            event_id: createId("event"),
            ...errorEvent(appError, event["event_id"]),
          }),
        );
        if (!isOver(appError)) return;
        await close();
        end();
      }
    },
    close,
  };
}

/** No more audio is accepted, whatever the client sends. */
const isOver = ({ key }: AppError): boolean => key === "budget_used_up" || key === "price_unknown";

function parseUpstream(json: string): Fields | undefined {
  try {
    return parseEvent(Buffer.from(json));
  } catch {
    return undefined;
  }
}

const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? (value as Fields) : {};

/** Changes the model that a session names, in the present form and in that of the beta. */
function nameModel(session: unknown, rename: (model: string) => string): void {
  const fields = fieldsOf(session);
  const input = fieldsOf(fieldsOf(fields["audio"])["input"]);
  for (const transcription of [input["transcription"], fields["input_audio_transcription"]]) {
    const { model } = fieldsOf(transcription);
    if (typeof model === "string") fieldsOf(transcription)["model"] = rename(model);
  }
}

/** Whether a session asks for what this server alone has. */
export function usesExtensions(session: unknown): boolean {
  const { include } = fieldsOf(session);
  const { rate } = formatOf(fieldsOf(session));
  return (
    rate === 16_000 ||
    (Array.isArray(include) &&
      include.some((field) => field === unsettledField || field === languageField))
  );
}

/** The model that a session names. */
export function modelOf(session: unknown): string | undefined {
  let model: string | undefined;
  nameModel(session, (name) => (model = name));
  return model;
}

const formatOf = (session: Fields): Fields =>
  fieldsOf(fieldsOf(fieldsOf(session["audio"])["input"])["format"]);

/** Without another format: 24 kHz, 16 bits. */
const pcmBytesPerSec = 48_000;
const g711BytesPerSec = 8000;

/** Undefined if the session says nothing of a format. */
function bytesPerSecOf(session: Fields): number | undefined {
  const { type = session["input_audio_format"], rate } = formatOf(session);
  if (type === undefined) return undefined;
  if (type !== "audio/pcm" && type !== "pcm16") return g711BytesPerSec;
  return typeof rate === "number" && rate > 0 ? rate * 2 : pcmBytesPerSec;
}
