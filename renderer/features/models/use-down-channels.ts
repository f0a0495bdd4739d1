// Channels that do not respond at present, whose models are listed all the same.

import { useEffect, useState } from "react";
import { call } from "../../api/client.ts";
import { eventStream } from "../../stores/event-stream.ts";

const none: ReadonlySet<string> = new Set();

/** Names of channels; kept up to date while the page is open. */
export function useDownChannels(): ReadonlySet<string> {
  const [down, setDown] = useState(none);
  useEffect(() => {
    const load = (): void =>
      void call("listChannels", {}).then(
        ({ channels }) =>
          setDown(
            new Set(
              channels
                .filter(
                  ({ health, listError }) => health.state !== "closed" || listError !== undefined,
                )
                .map(({ name }) => name),
            ),
          ),
        // The list of models reports that the app does not respond.
        () => undefined,
      );
    load();
    return eventStream().subscribe(({ type }) => void (type === "channels" && load()));
  }, []);
  return down;
}
