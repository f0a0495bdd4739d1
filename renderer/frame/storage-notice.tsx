// Notice above the page while work waits for the disk, with the reason: as long as it is shown, results are only in
// memory.

import { useEffect, useState } from "react";
import type { AppInfo } from "../../main/contract/window-api.ts";
import { call } from "../api/client.ts";
import { t, type MessageKey } from "../messages/messages.ts";
import { eventStream } from "../stores/event-stream.ts";
import { Notice } from "../ui/notice.tsx";

type StorageProblem = NonNullable<AppInfo["storageTrouble"]>;

const messageKeys: Readonly<Record<StorageProblem, MessageKey>> = {
  storage_full: "frame.storage.full",
  storage_busy: "frame.storage.busy",
  storage_unavailable: "frame.storage.unavailable",
};

/** Read when the page opens or reconnects, then updated by events. */
function useStorageProblem(): StorageProblem | undefined {
  const [problem, setProblem] = useState<StorageProblem>();
  useEffect(() => {
    const stopState = eventStream().onState((isOpen) => {
      if (isOpen)
        call("readInfo", {}).then(
          (info) => setProblem(info.storageTrouble),
          () => {},
        );
    });
    const stopEvents = eventStream().subscribe((event) => {
      if (event.type === "storage") setProblem(event.trouble);
    });
    return () => {
      stopState();
      stopEvents();
    };
  }, []);
  return problem;
}

export function StorageNotice() {
  const problem = useStorageProblem();
  if (problem === undefined) return null;
  return (
    <div className="connection-notice">
      <Notice tone="warn">{t(messageKeys[problem])}</Notice>
    </div>
  );
}
