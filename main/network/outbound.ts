// The one way out: every connection to another machine is checked here, recorded, and ended when Offline is switched
// on. Connections to this machine's loopback addresses are neither checked nor recorded. See departures.ts for the
// record.

import type { Dispatcher } from "undici";
import { AppError } from "../contract/errors.ts";
import type { Purpose } from "../contract/network.ts";
import type { DepartureCounts, Departures } from "./departures.ts";
import { isLoopback } from "./loopback.ts";

export type Outbound = {
  isOffline(): boolean;
  /** Whether Offline forbids connections to that address now. */
  isBlocked(url: string): boolean;
  /** @throws AppError `offline` if the address is blocked */
  check(url: string): void;
  /**
   * Wraps a dispatcher of undici, with or without a proxy: each of its requests, also after a redirect, is checked by
   * the address that it is for, and recorded.
   */
  guard(dispatcher: Dispatcher, purpose: Purpose): Dispatcher;
  /** For connections that undici does not open. */
  record(url: string, purpose: Purpose, counts: DepartureCounts): void;
  /** Called when Offline is switched, after running requests were ended. @returns function that unsubscribes */
  onChange(listener: () => void): () => void;
  /** Applies a switch that was stored: ends running requests if `isOffline` is true now. */
  changed(): void;
};

export function createOutbound(
  isOffline: () => boolean,
  departures: Pick<Departures, "add">,
): Outbound {
  /** Of requests that are connected. */
  const running = new Map<Dispatcher.DispatchController, URL>();
  const listeners = new Set<() => void>();

  const refusal = ({ host }: URL): AppError | undefined =>
    isOffline() ? new AppError("offline.refused", { host }) : undefined;

  /** Follows a request from its connection to its end. */
  function follow(
    handler: Dispatcher.DispatchHandler,
    url: URL,
    purpose: Purpose,
    body: unknown,
  ): Dispatcher.DispatchHandler {
    const addSent = (chunk: unknown): void =>
      departures.add(url.host, purpose, { sentBytes: sizeOf(chunk) });
    return {
      onRequestStart(controller, context) {
        running.set(controller, url);
        handler.onRequestStart?.(controller, context);
        // Offline may have been switched on while the connection was being opened.
        const reason = refusal(url);
        if (reason !== undefined) controller.abort(reason);
        // undici starts to read the body right after this call.
        else if (isStream(body)) body.on("data", addSent);
        else addSent(body);
      },
      onResponseStart(controller, status, headers, message) {
        handler.onResponseStart?.(controller, status, headers, message);
      },
      onResponseData(controller, chunk) {
        departures.add(url.host, purpose, { receivedBytes: chunk.length });
        handler.onResponseData?.(controller, chunk);
      },
      onResponseEnd(controller, trailers) {
        running.delete(controller);
        handler.onResponseEnd?.(controller, trailers);
      },
      onResponseError(controller, error) {
        running.delete(controller);
        handler.onResponseError?.(controller, error);
      },
    };
  }

  return {
    isOffline,
    isBlocked: (url) => isOffline() && !isLoopback(new URL(url)),
    check(address) {
      const url = new URL(address);
      const reason = isLoopback(url) ? undefined : refusal(url);
      if (reason !== undefined) throw reason;
    },
    guard: (dispatcher, purpose) =>
      dispatcher.compose((dispatch) => (options, handler) => {
        const url = new URL(String(options.origin));
        if (isLoopback(url)) return dispatch(options, handler);
        const reason = refusal(url);
        if (reason !== undefined) throw reason;
        departures.add(url.host, purpose, { requests: 1, sentBytes: headSize(options, url) });
        return dispatch(options, follow(handler, url, purpose, options.body));
      }),
    record(address, purpose, counts) {
      const url = new URL(address);
      if (!isLoopback(url)) departures.add(url.host, purpose, counts);
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    changed() {
      for (const [controller, url] of running) {
        const reason = refusal(url);
        if (reason !== undefined) controller.abort(reason);
      }
      for (const listener of listeners) listener();
    },
  };
}

type DataStream = { on(event: "data", listener: (chunk: unknown) => void): unknown };

const isStream = (body: unknown): body is DataStream =>
  typeof body === "object" && body !== null && "on" in body && typeof body.on === "function";

const sizeOf = (chunk: unknown): number =>
  typeof chunk === "string"
    ? Buffer.byteLength(chunk)
    : chunk instanceof Uint8Array
      ? chunk.byteLength
      : 0;

/** Of the request line and the headers that the caller set, as HTTP/1.1 writes them. */
function headSize({ method, path, headers }: Dispatcher.DispatchOptions, { host }: URL): number {
  const lines = Object.entries(headers ?? {}).map(([name, value]) => `${name}: ${String(value)}`);
  return Buffer.byteLength(
    [`${method} ${path} HTTP/1.1`, `host: ${host}`, ...lines, "", ""].join("\r\n"),
  );
}
