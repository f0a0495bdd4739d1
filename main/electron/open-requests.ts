// Queues requests from other starts and system events, in order, until the app can handle them.

import type { RefusedFile } from "../instance/messages.ts";
import type { OpenRequest } from "./start-arguments.ts";

/** Resolves with the refused files when all files are handled. */
export type RequestHandler = (request: OpenRequest) => Promise<RefusedFile[]>;

export type OpenRequests = {
  /** Resolves as the handler does, once one is set. */
  push: RequestHandler;
  /** Sets the handler for queued and future requests. */
  handle(handler: RequestHandler): void;
};

export function createOpenRequests(): OpenRequests {
  const pending: ((handler: RequestHandler) => void)[] = [];
  let handler: RequestHandler | undefined;
  return {
    push(request) {
      if (handler !== undefined) return handler(request);
      const { promise, resolve } = Promise.withResolvers<RefusedFile[]>();
      pending.push((newHandler) => resolve(newHandler(request)));
      return promise;
    },
    handle(newHandler) {
      handler = newHandler;
      for (const deliver of pending.splice(0)) deliver(newHandler);
    },
  };
}
