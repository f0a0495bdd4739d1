// Files and wishes that come from outside, from whichever start or event, in order; kept until the app can take them.

import type { RefusedFile } from "../instance/messages.ts";
import type { OpenRequest } from "./start-arguments.ts";

/** Resolves when the files were taken, to those that were not. */
export type RequestHandler = (request: OpenRequest) => Promise<RefusedFile[]>;

export type OpenRequests = {
  /** Resolves as the handler does, once there is one. */
  push: RequestHandler;
  /** Takes what came and what comes. */
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
