// Says above the page that work waits for the disk, and why: what was made is in memory alone as long as this is shown.

import { useEffect, useState } from "react";
import type { AppInfo } from "../../main/contract/studio-api.ts";
import { call } from "../api/client.ts";
import { t, type MessageKey } from "../messages/messages.ts";
import { live } from "../stores/live.ts";
import { Notice } from "../ui/notice.tsx";

type Trouble = NonNullable<AppInfo["storageTrouble"]>;

const texts: Readonly<Record<Trouble, MessageKey>> = {
  storage_full: "shell.storage.full",
  storage_busy: "shell.storage.busy",
  storage_unavailable: "shell.storage.unavailable",
};

/** As it is when the page comes, or comes back, and as it is told from then on. */
function useStorageTrouble(): Trouble | undefined {
  const [trouble, setTrouble] = useState<Trouble>();
  useEffect(() => {
    const stopState = live().onState((isOpen) => {
      if (isOpen)
        call("readInfo", {}).then(
          (info) => setTrouble(info.storageTrouble),
          () => {},
        );
    });
    const stopEvents = live().subscribe((event) => {
      if (event.type === "storage") setTrouble(event.trouble);
    });
    return () => {
      stopState();
      stopEvents();
    };
  }, []);
  return trouble;
}

export function StorageNotice() {
  const trouble = useStorageTrouble();
  if (trouble === undefined) return null;
  return (
    <div className="connection-notice">
      <Notice tone="warn">{t(texts[trouble])}</Notice>
    </div>
  );
}
