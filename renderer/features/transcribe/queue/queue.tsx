// The queue: uploads in progress, what is at work or waits, then recent transcripts. A plain list; arrow keys move,
// Enter opens. It scrolls to the open transcript.

import "./queue.css";
import { Pause, Play } from "lucide-react";
import { useEffect, useMemo, useRef } from "react";
import type { Item } from "../../../../main/contract/library-item.ts";
import { t } from "../../../messages/messages.ts";
import { loadItems, newestFirst, useItems } from "../../../stores/items.ts";
import { useAction } from "../../../stores/actions.ts";
import {
  changeTranscriptionQueue,
  useTranscriptionQueue,
} from "../../../stores/transcription-queue.ts";
import { Button } from "../../../ui/button.tsx";
import { Notice } from "../../../ui/notice.tsx";
import { VirtualList, type VirtualListHandle } from "../../../ui/virtual-list.tsx";
import { isInProgress } from "./item-actions.ts";
import { queueItems } from "./queue-items.ts";
import { ItemRow, UploadRow } from "./queue-row.tsx";
import { useUploads } from "./uploads.ts";

/** In pixels, until a row is measured. */
const rowHeight = 53;

export function Queue({ openId }: { openId: string | undefined }) {
  const { byId, error } = useItems();
  const uploads = useUploads((state) => state.uploads);
  const { isPaused, itemIds } = useTranscriptionQueue();
  const transcripts = useMemo(() => newestFirst(byId, "transcript"), [byId]);
  const items = useMemo(
    () => queueItems(transcripts, itemIds, openId),
    [transcripts, itemIds, openId],
  );
  const list = useRef<VirtualListHandle>(null);
  const openIndex = items.findIndex(({ id }) => id === openId);
  const isListed = openIndex >= 0;
  // Only when another item is opened: not each time the list changes while the user scrolls.
  useEffect(() => {
    if (isListed) list.current?.scrollTo(uploads.length + openIndex);
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [openId, isListed]);
  const itemAt = (index: number): Item | undefined => items[index - uploads.length];
  return (
    <>
      {error !== undefined && (
        <div className="queue-note">
          <Notice
            tone="bad"
            action={
              <Button isSmall onClick={() => void loadItems()}>
                {t("transcribe.try-again")}
              </Button>
            }
          >
            {error}
          </Notice>
        </div>
      )}
      <QueueBar isPaused={isPaused} hasWork={items.some(isInProgress)} />
      <VirtualList
        handle={list}
        label={t("transcribe.queue")}
        count={uploads.length + items.length}
        rowHeight={rowHeight}
        keyOf={(index) => itemAt(index)?.id ?? `upload ${uploads[index]?.id}`}
        className="queue-rows"
        row={(index) => {
          const item = itemAt(index);
          const upload = uploads[index];
          if (item !== undefined) return <ItemRow item={item} isOpen={item.id === openId} />;
          return upload === undefined ? null : <UploadRow upload={upload} />;
        }}
      />
      {transcripts.length > items.length && (
        <a className="queue-all" href="#/library">
          {t("transcribe.queue.all", { count: transcripts.length })}
        </a>
      )}
    </>
  );
}

/** Pauses and resumes the queue. */
function QueueBar({ isPaused, hasWork }: { isPaused: boolean; hasWork: boolean }) {
  const title = t(isPaused ? "transcribe.queue.resume" : "transcribe.queue.pause");
  const toggle = (): void => void changeTranscriptionQueue({ isPaused: !isPaused });
  useAction({
    id: "transcribe.pause",
    title,
    disabledReason: isPaused || hasWork ? undefined : t("transcribe.queue.idle"),
    run: toggle,
  });
  if (!isPaused && !hasWork) return null;
  return (
    <div className="queue-bar">
      {isPaused && <span role="status">{t("transcribe.queue.paused")}</span>}
      <Button
        isSmall
        kind="quiet"
        icon={isPaused ? <Play aria-hidden /> : <Pause aria-hidden />}
        onClick={toggle}
      >
        {title}
      </Button>
    </div>
  );
}
