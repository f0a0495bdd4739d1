// A row of the queue: name, duration, state, progress line, actions.

import {
  ArrowDown,
  ArrowUp,
  ArrowUpToLine,
  CircleAlert,
  CircleDashed,
  Ellipsis,
  FolderOpen,
  Play,
  RotateCcw,
  Trash2,
  X,
} from "lucide-react";
import { memo, useRef } from "react";
import type { Item } from "../../../../main/contract/library-item.ts";
import { messageOf } from "../../../api/error.ts";
import { formatSize, formatTime } from "../../../messages/format.ts";
import { localize } from "../../../messages/localize.ts";
import { t } from "../../../messages/messages.ts";
import { acceptAttribute } from "../../../stores/accepted-files.ts";
import { itemPath } from "../../../stores/items.ts";
import { toast } from "../../../stores/toasts.ts";
import { moveInQueue, useTranscriptionQueue } from "../../../stores/transcription-queue.ts";
import { IconButton } from "../../../ui/button.tsx";
import { FileInput } from "../../../ui/file-input.tsx";
import { Menu } from "../../../ui/menu.tsx";
import { Progress } from "../../../ui/progress.tsx";
import { useRowTabIndex } from "../../../ui/rows.ts";
import {
  cancelTranscription,
  retranscribeFailed,
  isInProgress,
  isResumable,
  removeItem,
  resumeTranscription,
  retranscribeDisabledReason,
  retranscribeItem,
} from "./item-actions.ts";
import { stateText } from "./state-text.ts";
import { cancelUpload, resendUpload, retryUpload, type Upload } from "./uploads.ts";

const toastFailure = (work: Promise<void>): void =>
  void work.catch((error: unknown) => toast({ tone: "bad", text: () => messageOf(error) }));

export const ItemRow = memo(function ItemRow({ item, isOpen }: { item: Item; isOpen: boolean }) {
  const tab = useRowTabIndex();
  const atWork = isInProgress(item);
  // The menu depends on it.
  useTranscriptionQueue((state) => item.state === "waiting" && state.itemIds);
  const retryAction = isResumable(item)
    ? resumeTranscription
    : item.state === "failed" || item.state === "cancelled"
      ? retranscribeItem
      : item.state === "done" && item.isPartial
        ? retranscribeFailed
        : undefined;
  return (
    <div className="queue-row" data-state={item.state}>
      <a
        className="queue-link"
        href={`#${itemPath(item)}`}
        aria-current={isOpen ? "page" : undefined}
        tabIndex={tab}
      >
        <span className="queue-title">{item.title}</span>
        <span className="queue-state figures">
          {item.state === "failed" && <CircleAlert aria-hidden />}
          {item.state === "done" && item.isPartial && <CircleDashed aria-hidden />}
          {item.state === "done" && !item.isPartial
            ? formatTime(item.durationSec)
            : [item.durationSec > 0 ? formatTime(item.durationSec) : undefined, stateText(item)]
                .filter((part) => part !== undefined)
                .join(" · ")}
        </span>
      </a>
      {atWork && (
        <IconButton
          label={t("transcribe.cancel.named", { title: item.title })}
          isSmall
          onClick={() => toastFailure(cancelTranscription(item))}
        >
          <X aria-hidden />
        </IconButton>
      )}
      {retryAction !== undefined && (
        <IconButton
          label={t(isResumable(item) ? "transcribe.resume.named" : "transcribe.retry.named", {
            title: item.title,
          })}
          isSmall
          onClick={() => toastFailure(retryAction(item))}
        >
          {isResumable(item) ? <Play aria-hidden /> : <RotateCcw aria-hidden />}
        </IconButton>
      )}
      <Menu
        items={[
          ...(item.state === "waiting" ? moveItems(item) : []),
          {
            label: t("transcribe.retranscribe-all"),
            icon: <RotateCcw aria-hidden />,
            run: () => toastFailure(retranscribeItem(item)),
            disabledReason: retranscribeDisabledReason(item),
          },
          {
            label: t("transcribe.remove"),
            icon: <Trash2 aria-hidden />,
            run: () => void removeItem(item),
            isDanger: true,
            beginsGroup: true,
            disabledReason: item.state === "recording" ? t("transcribe.is-at-work") : undefined,
          },
        ]}
      >
        <IconButton label={t("transcribe.more.named", { title: item.title })} isSmall>
          <Ellipsis aria-hidden />
        </IconButton>
      </Menu>
      {item.state === "running" && (
        <div className="queue-progress">
          <Progress
            label={t("transcribe.progress.named", { title: item.title })}
            fraction={item.progress}
          />
        </div>
      )}
    </div>
  );
});

/** Menu items that change the place of a waiting item. */
function moveItems({ id }: Item) {
  const { itemIds } = useTranscriptionQueue.getState();
  const isFirst = itemIds[0] === id;
  const isLast = itemIds.at(-1) === id;
  const move = (to: "top" | "up" | "down") => () => void moveInQueue(id, to);
  const firstReason = isFirst ? t("transcribe.queue.first") : undefined;
  return [
    {
      label: t("transcribe.queue.next"),
      icon: <ArrowUpToLine aria-hidden />,
      run: move("top"),
      disabledReason: firstReason,
    },
    {
      label: t("transcribe.queue.up"),
      icon: <ArrowUp aria-hidden />,
      run: move("up"),
      disabledReason: firstReason,
    },
    {
      label: t("transcribe.queue.down"),
      icon: <ArrowDown aria-hidden />,
      run: move("down"),
      disabledReason: isLast ? t("transcribe.queue.last") : undefined,
    },
  ];
}

export function UploadRow({ upload }: { upload: Upload }) {
  const { id, file, state, sentBytes, failure } = upload;
  const title = file.name;
  const picker = useRef<HTMLInputElement>(null);
  const sent = { sent: formatSize(sentBytes), all: formatSize(file.size) };
  return (
    <div className="queue-row" data-state={state}>
      <div className="queue-link">
        <span className="queue-title">{title}</span>
        <span className="queue-state figures" role={state === "failed" ? "alert" : undefined}>
          {failure !== undefined
            ? localize(failure)
            : state === "sending"
              ? t("transcribe.upload.sending", sent)
              : state !== "failed" && t(`transcribe.upload.${state}`)}
        </span>
      </div>
      {state === "failed" && (
        <IconButton
          label={t("transcribe.retry.named", { title })}
          isSmall
          onClick={() => retryUpload(id)}
        >
          <RotateCcw aria-hidden />
        </IconButton>
      )}
      {state === "lost" && (
        <>
          <FileInput
            ref={picker}
            accept={acceptAttribute("media")}
            onFiles={([pickedFile]) => resendUpload(id, pickedFile)}
          />
          <IconButton
            label={t("transcribe.choose.named", { title })}
            isSmall
            onClick={() => picker.current?.click()}
          >
            <FolderOpen aria-hidden />
          </IconButton>
        </>
      )}
      <IconButton
        label={t(
          state === "failed" || state === "lost"
            ? "transcribe.dismiss.named"
            : "transcribe.cancel.named",
          { title },
        )}
        isSmall
        onClick={() => cancelUpload(id)}
      >
        <X aria-hidden />
      </IconButton>
      {state === "sending" && (
        <div className="queue-progress">
          <Progress
            label={t("transcribe.progress.named", { title })}
            fraction={file.size > 0 ? sentBytes / file.size : undefined}
          />
        </div>
      )}
    </div>
  );
}
