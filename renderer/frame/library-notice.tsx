// Notices above the page: a damaged library that was restored (until dismissed), and one that is unavailable now.

import { useEffect, useState } from "react";
import type {
  LibraryNotice as RestoredNotice,
  LibraryState,
} from "../../main/contract/library-state.ts";
import { call } from "../api/client.ts";
import { formatDateTime } from "../messages/format.ts";
import { t } from "../messages/messages.ts";
import { eventStream } from "../stores/event-stream.ts";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";

export function LibraryNotice() {
  const [state, setState] = useState<LibraryState>();
  useEffect(() => {
    let wasUnavailable = false;
    const show = (newState: LibraryState): void => {
      // Requests of the page have failed meanwhile, so reload it.
      if (wasUnavailable && newState.health !== "unavailable") location.reload();
      wasUnavailable = newState.health === "unavailable";
      setState(newState);
    };
    const load = (): void => void call("readLibraryState", {}).then(show, () => {});
    load();
    return eventStream().subscribe((event) => void (event.type === "library" && load()));
  }, []);
  if (state === undefined || (state.health === "ok" && state.notices === undefined)) return null;
  return (
    <div className="connection-notice">
      {state.health !== "ok" && <Notice tone="bad">{t(`frame.library.${state.health}`)}</Notice>}
      {state.notices?.map((notice, index, { length }) => (
        // One button below the last notice dismisses all.
        <RestoredLibraryNotice
          key={notice.atMs}
          notice={notice}
          {...(index < length - 1
            ? {}
            : { onDismiss: () => void call("dismissLibraryNotice", {}).then(setState, () => {}) })}
        />
      ))}
    </div>
  );
}

function RestoredLibraryNotice({
  notice: {
    copyMadeAtMs,
    setAside,
    salvagedItems,
    foundItems,
    hasKeysAndUsage,
    lacksNewestChanges = false,
  },
  onDismiss,
}: {
  notice: RestoredNotice;
  onDismiss?: () => void;
}) {
  const sentences = [
    lacksNewestChanges
      ? t("frame.library.cut")
      : copyMadeAtMs === undefined
        ? t("frame.library.begun")
        : t("frame.library.restored", { when: formatDateTime(copyMadeAtMs) }),
    ...(salvagedItems > 0 ? [t("frame.library.salvaged", { count: salvagedItems })] : []),
    ...(foundItems > 0 ? [t("frame.library.found", { count: foundItems })] : []),
    ...(hasKeysAndUsage
      ? []
      : [
          t(
            lacksNewestChanges
              ? "frame.library.usage.newest"
              : copyMadeAtMs === undefined
                ? "frame.library.usage.none"
                : "frame.library.usage",
          ),
        ]),
    ...(setAside === undefined ? [] : [t("frame.library.aside", { name: setAside })]),
  ];
  return (
    <Notice
      tone="warn"
      action={
        onDismiss !== undefined && (
          <Button isSmall onClick={onDismiss}>
            {t("frame.library.dismiss")}
          </Button>
        )
      }
    >
      {sentences.join(" ")}
    </Notice>
  );
}
