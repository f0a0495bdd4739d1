// The routing as stored by the app.

import { useCallback, useEffect, useState } from "react";
import type { Routing } from "../../../main/contract/channels.ts";
import { call } from "../../api/client.ts";
import { eventStream } from "../../stores/event-stream.ts";
import { useTask } from "../../stores/task.ts";

export type RoutingState = {
  readonly routing: Routing | undefined;
  readonly error: string | undefined;
  readonly isSaving: boolean;
  change: (edit: (routing: Routing) => Routing) => void;
};

export function useRouting(): RoutingState {
  const [routing, setRouting] = useState<Routing>();
  const reading = useTask();
  const saving = useTask();
  const { run } = reading;
  useEffect(() => {
    const read = () =>
      void run(async (signal) => setRouting(await call("readRouting", {}, "", signal)));
    read();
    return eventStream().onState((isOpen) => isOpen && read());
  }, [run]);
  const { run: save } = saving;
  const change = useCallback(
    // Edits the current routing, which may have changed elsewhere.
    (edit: (routing: Routing) => Routing) =>
      void save(async () =>
        setRouting(await call("changeRouting", edit(await call("readRouting", {})))),
      ),
    [save],
  );
  return { routing, error: saving.error ?? reading.error, isSaving: saving.isBusy, change };
}
