// Says above the page that work waits for the disk, and why: what was made is in memory alone as long as this is shown.

import { useEffect, useState } from "react";
import type { AppInfo } from "../../main/contract/studio-api.ts";
import { call } from "../api/client.ts";
import { t, type MessageKey } from "../messages/messages.ts";
import { eventStream } from "../stores/event-stream.ts";
import { Notice } from "../ui/notice.tsx";

type StorageProblem = NonNullable<AppInfo["storageTrouble"]>;

const messageKeys: Readonly<Record<StorageProblem, MessageKey>> = {
  storage_full: "shell.storage.full",
  storage_busy: "shell.storage.busy",
  storage_unavailable: "shell.storage.unavailable",
};

/** As it is when the page comes, or comes back, and as it is told from then on. */
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
