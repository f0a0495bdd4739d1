// Realtime transcription sessions at a provider, one WebSocket each. Connections are checked by network/outbound.ts and
// recorded there, and end when Offline is switched on or the channel is closed.

import type { IncomingMessage } from "node:http";
import { WebSocket } from "ws";
import type { RealtimeConnection, RealtimeRequest } from "../../contract/channel.ts";
import { AppError } from "../../contract/errors.ts";
import { viaHeader } from "../../contract/openai.ts";
import type { Outbound } from "../../network/outbound.ts";
import { createUpstreamErrors, redactKey, type UpstreamErrors } from "../upstream-error.ts";
import type { UpstreamClientOptions } from "./client.ts";

export type RealtimeClient = {
  /** See `Channel.openRealtime`. @param model the provider's name of it */
  open(model: string, request: RealtimeRequest): Promise<RealtimeConnection | undefined>;
  /** Ends all sessions. */
  close(): void;
};

export type RealtimeClientOptions = Omit<UpstreamClientOptions, "outbound"> & {
  outbound: Pick<Outbound, "check" | "isBlocked" | "onChange" | "record">;
};

/** What providers answer that have no such address, or only the HTTP part of the interface. */
const unofferedStatuses: readonly number[] = [400, 404, 405, 426, 501];
const maxEventBytes = 8 * 2 ** 20;
const normalClosure = 1000;

export function createRealtimeClient({
  name,
  baseUrl,
  limits,
  key,
  instanceId,
  outbound,
}: RealtimeClientOptions): RealtimeClient {
  // OpenAI refuses a model here for transcription: it is part of the session.
  const url = `${baseUrl.replace(/^http/, "ws").replace(/\/+$/, "")}/realtime?intent=transcription`;
  const purpose = { kind: "channel", name } as const;
  /** Functions that end the open sessions. */
  const open = new Set<(error: AppError) => void>();

  function connect(apiKey: string | undefined, { isBeta, via = [] }: RealtimeRequest): WebSocket {
    outbound.check(baseUrl);
    outbound.record(baseUrl, purpose, { requests: 1 });
    return new WebSocket(url, {
      headers: {
        "user-agent": "hearsay",
        [viaHeader]: [instanceId, ...via].join(", "),
        ...(isBeta && { "openai-beta": "realtime=v1" }),
        ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
      },
      handshakeTimeout: limits.connectMs,
      maxPayload: maxEventBytes,
      perMessageDeflate: false,
    });
  }

  function follow(
    socket: WebSocket,
    { onEvent, onEnd }: RealtimeRequest,
    errors: UpstreamErrors,
    redact: (text: string) => string,
  ): Omit<RealtimeConnection, "model"> {
    let failure: AppError | undefined;
    let isOpen = false;
    socket.on("open", () => (isOpen = true));
    const fail = (error: AppError): void => {
      failure = error;
      socket.terminate();
    };
    open.add(fail);
    const stopWatching = outbound.onChange(() => {
      if (outbound.isBlocked(baseUrl))
        fail(new AppError("offline.refused", { host: new URL(baseUrl).host }));
    });
    socket.on("message", (data) => {
      const text = String(data);
      outbound.record(baseUrl, purpose, { receivedBytes: Buffer.byteLength(text) });
      onEvent(redact(text));
    });
    socket.on("close", (code) => {
      open.delete(fail);
      stopWatching();
      if (isOpen)
        onEnd(
          failure ??
            (code === normalClosure ? undefined : errors.invalidResponse("upstream.brokenOff")),
        );
    });
    return {
      async send(json) {
        outbound.record(baseUrl, purpose, { sentBytes: Buffer.byteLength(json) });
        // Resolves when the provider takes it; the end of the connection is reported by `onEnd`.
        await new Promise<void>((resolve) => socket.send(json, () => resolve()));
      },
      close() {
        isOpen = false;
        socket.close(normalClosure);
      },
    };
  }

  return {
    async open(model, request) {
      const apiKey = key() || undefined;
      const errors = createUpstreamErrors(name, apiKey);
      const socket = connect(apiKey, request);
      // Before: the first event may come with the answer to the handshake.
      const connection = follow(socket, request, errors, (text) => redactKey(text, apiKey));
      try {
        return (await shake(socket, errors)) ? { ...connection, model } : undefined;
      } catch (error) {
        connection.close();
        throw error;
      }
    },
    close() {
      for (const fail of open) fail(new AppError("upstream.switchedOff", { channel: name }));
    },
  };
}

/** @returns false if the provider has no realtime sessions @throws AppError for any other failure */
async function shake(socket: WebSocket, errors: UpstreamErrors): Promise<boolean> {
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  socket.on("open", () => resolve(true));
  socket.on("unexpected-response", (_, { statusCode = 0, headers }: IncomingMessage) => {
    if (unofferedStatuses.includes(statusCode)) resolve(false);
    else reject(errors.fromStatus(statusCode, headers, ""));
    socket.terminate();
  });
  // Also listens after the handshake: "close" follows then.
  socket.on("error", (error) => reject(errors.fromException(error, false) as Error));
  return promise;
}
