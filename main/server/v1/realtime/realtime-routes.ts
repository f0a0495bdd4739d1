// /v1/realtime: opens transcription sessions over WebSocket, and creates client secrets for browsers.

import { AppError } from "../../../contract/errors.ts";
import { parseJsonObject } from "../../../contract/json.ts";
import {
  clientSecretRequest,
  keyProtocolPrefix,
  type RealtimeConfig,
} from "../../../contract/realtime.ts";
import { createTranscriptionJob } from "../../../contract/transcription-job.ts";
import { parseFields } from "../../../contract/validation.ts";
import type { KeyHolder } from "../../../storage/settings/issued-keys.ts";
import { toAppError } from "../../http/error-response.ts";
import { parseViaHeader } from "../../http/loop-guard.ts";
import { type BodyLimits, createBodyReader, readBody } from "../../http/request-body.ts";
import { jsonResponse } from "../../http/sized-response.ts";
import type { AcceptSocket } from "../../http/web-socket.ts";
import type { GatewayDeps } from "../../route-context.ts";
import { checkModel } from "../check-model.ts";
import { type Caller, checkScope } from "../metered-request.ts";
import { type ClientSecrets, secretPrefix } from "./client-secrets.ts";
import { createRealtimeSession } from "./realtime-session.ts";
import { openRelay } from "./relay.ts";
import { chooseSession } from "./session-choice.ts";
import {
  defaultConfig,
  describeBetaSession,
  describeSession,
  updateConfig,
} from "./session-config.ts";

export type RealtimeRoutes = {
  /** The key of a request that opens a WebSocket, as an Authorization header; null if there is none. */
  authorization(request: Request): string | null;
  /** Of a client secret; undefined for any other key. */
  verifySecret(authorization: string | null): ReturnType<ClientSecrets["verify"]>;
  /** @throws AppError if the session may not be opened */
  open(
    request: Request,
    caller: Caller,
    requestId: string,
    session?: Record<string, unknown>,
  ): Promise<AcceptSocket>;
  createSecret(request: Request, caller: Caller, limits: BodyLimits): Promise<Response>;
};

/** Each may keep an engine busy. */
const maxSessions = 32;
const maxSecretRequestBytes = 64 * 1024;
const defaultModel = "whisper-1";
const defaultSecretSec = 600;

/** Browsers send the key as a subprotocol. */
function authorization(request: Request): string | null {
  const header = request.headers.get("authorization");
  if (header !== null && header !== "") return header;
  const key = (request.headers.get("sec-websocket-protocol") ?? "")
    .split(",")
    .map((protocol) => protocol.trim())
    .find((protocol) => protocol.startsWith(keyProtocolPrefix));
  return key === undefined ? null : `Bearer ${key.slice(keyProtocolPrefix.length)}`;
}

export function createRealtimeRoutes(deps: GatewayDeps, secrets: ClientSecrets): RealtimeRoutes {
  const { router, metering, openLiveRecognizer, keys, log } = deps;
  let sessionCount = 0;

  async function checkTranscription({
    model,
    language,
    prompt,
  }: {
    model: string;
    language?: string | undefined;
    prompt?: string | undefined;
  }): Promise<void> {
    await checkModel(deps, model, "speech-to-text");
    router.checkTranscription(
      createTranscriptionJob({ model, language, prompt, mediaPath: "", isBestEffort: true }),
    );
  }

  return {
    authorization,
    verifySecret(header) {
      const secret = /^Bearer +(\S+) *$/i.exec(header ?? "")?.[1];
      return secret?.startsWith(secretPrefix) === true ? secrets.verify(secret) : undefined;
    },
    async open(request, caller, requestId, session = {}) {
      checkScope(caller, "transcribe");
      if (openLiveRecognizer === undefined) throw new AppError("realtime.unavailable");
      const { searchParams } = new URL(request.url);
      const intent = searchParams.get("intent");
      if (intent !== null && intent !== "transcription")
        throw new AppError("realtime.noConversation", {}, { param: "intent" });
      const isBeta = request.headers.get("openai-beta") === "realtime=v1";
      const config = updateConfig(
        defaultConfig(searchParams.get("model") ?? defaultModel),
        session,
        false,
      );
      await checkTranscription(config.transcription);
      if (sessionCount >= maxSessions)
        throw new AppError("realtime.tooMany", { max: maxSessions }, { retryAfterSec: 5 });
      return (send, end) => {
        // Not before: the handshake may fail.
        sessionCount += 1;
        const shared = {
          caller: caller === "window" ? caller : caller.id,
          toAppError: (error: unknown) => toAppError(error, requestId, log),
        };
        const local = createRealtimeSession(
          {
            ...shared,
            send: (event) => send(JSON.stringify(event)),
            openRecognizer: openLiveRecognizer,
            checkModel: checkTranscription,
          },
          { config, isBeta },
        );
        const relayDeps = { ...shared, router, metering, via: parseViaHeader(request), send, end };
        const realtime = chooseSession({
          local,
          openRelay: (model, isBetaSession) => openRelay(relayDeps, model, isBetaSession),
          firstUpdate: firstUpdateOf(config, isBeta),
        });
        const isRevoked = (): boolean =>
          caller !== "window" && !caller.isOwner && !keys.list().some(({ id }) => id === caller.id);
        return {
          receive: (message) => (isRevoked() ? realtime.close() : realtime.receive(message)),
          close: () => realtime.close().finally(() => (sessionCount -= 1)),
        };
      };
    },
    async createSecret(request, caller, limits) {
      checkScope(caller, "transcribe");
      if (caller === "window") throw new AppError("request.keyMissing");
      const bytes = await readBody(
        createBodyReader(request, limits),
        maxSecretRequestBytes,
        () => new AppError("field.tooLong", { field: "session", max: maxSecretRequestBytes }),
      );
      const { expires_after: expires, session = {} } = parseFields(
        clientSecretRequest,
        bytes.length === 0 ? {} : parseJsonObject(bytes),
      );
      const config = updateConfig(defaultConfig(defaultModel), session, false);
      await checkTranscription(config.transcription);
      const secret = secrets.create(
        caller satisfies KeyHolder,
        expires?.seconds ?? defaultSecretSec,
        session,
      );
      if (secret === undefined)
        throw new AppError("realtime.tooMany", { max: maxSessions }, { retryAfterSec: 60 });
      return jsonResponse(
        {
          value: secret.value,
          expires_at: secret.expiresAtSec,
          session: describeSession("", config),
        },
        { "cache-control": "no-store" },
      );
    },
  };
}

/** The session as it begins, for a provider. */
function firstUpdateOf(config: RealtimeConfig, isBeta: boolean) {
  const {
    id: _,
    object: __,
    ...session
  } = isBeta ? describeBetaSession("", config) : { ...describeSession("", config) };
  return { type: isBeta ? "transcription_session.update" : "session.update", session };
}
