// Opens and closes the API port. The window also works without it, so failures are only reported.

import type { App } from "../app.ts";
import type { Log } from "../log.ts";
import { describeError, interpolate, type Messages } from "./messages.ts";
import type { Notifications } from "./notifications.ts";

export type ApiPortDeps = {
  hearsay: Pick<App, "start" | "setServing">;
  notifications: Notifications;
  texts(): Messages;
  log: Log;
};

export type ApiPort = {
  /** Opens it when the app starts. Never rejects. */
  start(): Promise<void>;
  setServing(isServing: boolean): void;
};

export function createApiPort({ hearsay, notifications, texts, log }: ApiPortDeps): ApiPort {
  function reportFailure(error: unknown): void {
    log.error({ err: error }, "the API port could not be opened");
    notifications.show(texts().serverFailed, describeError(error, texts()));
  }

  return {
    async start() {
      try {
        const { requestedPort, port, isKeyShort } = await hearsay.start();
        if (isKeyShort)
          log.warn("the API key is short, so it can be guessed: the network is not served with it");
        if (port !== requestedPort && requestedPort !== 0)
          notifications.show(
            interpolate(texts().portTaken, { wanted: requestedPort }),
            interpolate(texts().portTakenBody, { port }),
          );
      } catch (error) {
        reportFailure(error);
      }
    },
    setServing(isServing) {
      hearsay.setServing(isServing).catch(reportFailure);
    },
  };
}
