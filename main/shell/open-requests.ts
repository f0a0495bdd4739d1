// Files and wishes that come from outside, from whichever start or event, in order; kept until the app can take them.

import type { OpenRequest } from './start-arguments.ts';

export type OpenRequests = {
  push(request: OpenRequest): void;
  /** Takes what came and what comes. */
  handle(handler: (request: OpenRequest) => void): void;
};

export function createOpenRequests(): OpenRequests {
  const waiting: OpenRequest[] = [];
  let handler: ((request: OpenRequest) => void) | undefined;
  return {
    push(request) {
      if (handler === undefined) waiting.push(request);
      else handler(request);
    },
    handle(taker) {
      handler = taker;
      for (const request of waiting.splice(0)) taker(request);
    },
  };
}
