// The queue: uploads in progress, then all transcripts, newest first. A plain list; arrow keys move, Enter opens.

import "./queue.css";
import { useMemo } from "react";
import type { Item } from "../../../../main/contract/library-item.ts";
import { t } from "../../../messages/messages.ts";
import { loadItems, newestFirst, useItems } from "../../../stores/items.ts";
import { Button } from "../../../ui/button.tsx";
import { Notice } from "../../../ui/notice.tsx";
import { VirtualList } from "../../../ui/virtual-list.tsx";
import { ItemRow, UploadRow } from "./queue-row.tsx";
import { useUploads } from "./uploads.ts";

/** In pixels, until a row is measured. */
const rowHeight = 53;

export function Queue({ openId }: { openId: string | undefined }) {
  const { byId, error } = useItems();
  const uploads = useUploads((state) => state.uploads);
  const items = useMemo(() => newestFirst(byId, "transcript"), [byId]);
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
      <VirtualList
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
    </>
  );
}
