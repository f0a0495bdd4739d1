// Channels that do not respond at present, whose models are listed all the same.

import { useEffect, useState } from "react";
import { call } from "../../api/client.ts";
import type { EventStream } from "../../api/events.ts";
import { eventStream } from "../../stores/event-stream.ts";

const none: ReadonlySet<string> = new Set();

/** Names of channels; kept up to date while the page is open. */
export function useDownChannels(): ReadonlySet<string> {
  const [down, setDown] = useState(none);
  useEffect(() => watchDownChannels(eventStream(), setDown), []);
  return down;
}

/** @returns function that stops it */
export function watchDownChannels(
  stream: Pick<EventStream, "subscribe" | "onState">,
  show: (down: ReadonlySet<string>) => void,
): () => void {
  const load = (): void =>
    void call("listChannels", {}).then(
      ({ channels }) =>
        show(
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
  const stop = stream.subscribe(({ type }) => void (type === "channels" && load()));
  const stopState = stream.onState((isOpen) => void (isOpen && load()));
  return () => {
    stop();
    stopState();
  };
}
