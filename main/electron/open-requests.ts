// Files and wishes that come from outside, from whichever start or event, in order; kept until the app can take them.

import type { RefusedFile } from "../instance/messages.ts";
import type { OpenRequest } from "./start-arguments.ts";

/** Resolves when the files were taken, to those that were not. */
export type TakeRequest = (request: OpenRequest) => Promise<RefusedFile[]>;

export type OpenRequests = {
  /** Resolves as the handler does, once there is one. */
  push: TakeRequest;
  /** Takes what came and what comes. */
  handle(handler: TakeRequest): void;
};

export function createOpenRequests(): OpenRequests {
  const waiting: ((handler: TakeRequest) => void)[] = [];
  let handler: TakeRequest | undefined;
  return {
    push(request) {
      if (handler !== undefined) return handler(request);
      const { promise, resolve } = Promise.withResolvers<RefusedFile[]>();
      waiting.push((taker) => resolve(taker(request)));
      return promise;
    },
    handle(taker) {
      handler = taker;
      for (const give of waiting.splice(0)) give(taker);
    },
  };
}
