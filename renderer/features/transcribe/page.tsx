// The Transcribe page: the queue on the left, on the right the open transcript or the start screen.

import "./page.css";
import { ChevronDown, FolderOpen, Mic } from "lucide-react";
import { useCallback, useEffect, useRef } from "react";
import { formatDateTime } from "../../messages/format.ts";
import { t } from "../../messages/messages.ts";
import { acceptAttribute } from "../../stores/accepted-files.ts";
import { useAction } from "../../stores/actions.ts";
import { takeIncomingFiles, useIncoming } from "../../stores/incoming.ts";
import { useItems } from "../../stores/items.ts";
import { usePreferences } from "../../stores/preferences.ts";
import { go, parseRoute, useRoute } from "../../stores/route.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FileInput } from "../../ui/file-input.tsx";
import { PageFrame } from "../../ui/page-frame.tsx";
import { OptionsPopover } from "./queue/options-popover.tsx";
import { Queue } from "./queue/queue.tsx";
import { StartArea } from "./queue/start-area.tsx";
import { addUploads, useUploads } from "./queue/uploads.ts";
import { InputPopover } from "./record/input-popover.tsx";
import { RecordBar } from "./record/record-bar.tsx";
import { startRecording, useRecorder } from "./record/recorder.ts";
import { Transcript } from "./transcript/transcript.tsx";

const openItem = (id: string): void => go(`/transcribe/${encodeURIComponent(id)}`);

/** Uploads files and opens the first one when it has arrived, unless the user opened another page or item meanwhile. */
function importFiles(files: readonly File[]): void {
  const { hash } = location;
  let isFirst = true;
  addUploads(files, usePreferences.getState().transcribe, (id) => {
    if (isFirst && location.hash === hash && parseRoute(hash).page === "transcribe") openItem(id);
    isFirst = false;
  });
}

function useIncomingMedia(): void {
  const incoming = useIncoming((state) => state.files);
  useEffect(() => {
    const files = takeIncomingFiles("media");
    if (files.length > 0) importFiles(files);
  }, [incoming]);
}

/** If a recording continues as another item, shows that one when the old one is open. */
function useFollowRecording(openId: string | undefined, itemId: string | undefined): void {
  const previousItemId = useRef(itemId);
  useEffect(() => {
    if (
      itemId !== undefined &&
      previousItemId.current !== undefined &&
      previousItemId.current !== itemId &&
      openId === previousItemId.current
    )
      openItem(itemId);
    previousItemId.current = itemId;
  }, [itemId, openId]);
}

/** Opens the recording in progress, or starts one and opens it. */
async function startOrShowRecording(): Promise<void> {
  const { phase, itemId: recordingId } = useRecorder.getState();
  if (phase !== "idle") {
    if (recordingId !== undefined) openItem(recordingId);
    return;
  }
  const id = await startRecording(
    t("transcribe.record.title", { when: formatDateTime(Date.now()) }),
  );
  if (id === undefined) go("/transcribe");
  else openItem(id);
}

export function Page() {
  const { rest } = useRoute();
  const [openId] = rest;
  const picker = useRef<HTMLInputElement>(null);
  const { phase, message, itemId } = useRecorder();
  const item = useItems((state) => (openId === undefined ? undefined : state.byId.get(openId)));
  const isLoaded = useItems((state) => state.isLoaded);
  const hasItems = useItems((state) =>
    [...state.byId.values()].some((each) => each.kind === "transcript"),
  );
  const hasUploads = useUploads((state) => state.uploads.length > 0);
  useIncomingMedia();
  useFollowRecording(openId, itemId);

  const openFilePicker = useCallback(() => picker.current?.click(), []);
  const isRecording = phase !== "idle";
  const recordLabel = isRecording ? t("transcribe.record.show") : t("transcribe.record");
  useAction({
    id: "transcribe.record",
    title: recordLabel,
    keys: "r",
    run: () => void startOrShowRecording(),
  });
  useAction({ id: "transcribe.pick", title: t("transcribe.pick"), keys: "o", run: openFilePicker });

  return (
    <PageFrame
      title={t("transcribe.page")}
      about={t("transcribe.about")}
      // Without an open transcript, the buttons are in the middle of the page instead.
      actions={
        openId !== undefined && (
          <>
            <Button icon={<FolderOpen aria-hidden />} onClick={openFilePicker}>
              {t("transcribe.pick")}
            </Button>
            <Button
              kind="primary"
              icon={<Mic aria-hidden />}
              isBusy={phase === "starting"}
              disabledReason={
                isRecording && itemId === openId && itemId !== undefined
                  ? t("transcribe.record.is-open")
                  : undefined
              }
              onClick={() => void startOrShowRecording()}
            >
              {recordLabel}
            </Button>
            {!isRecording && (
              <InputPopover
                onRecord={() => void startOrShowRecording()}
                trigger={
                  <IconButton label={t("transcribe.input")}>
                    <ChevronDown aria-hidden />
                  </IconButton>
                }
              />
            )}
          </>
        )
      }
    >
      <FileInput ref={picker} accept={acceptAttribute("media")} multiple onFiles={importFiles} />
      <div className="transcribe">
        {(hasItems || hasUploads) && (
          <aside className="transcribe-queue" aria-label={t("transcribe.queue")}>
            <div className="transcribe-options">
              <OptionsPopover />
            </div>
            <Queue openId={openId} />
          </aside>
        )}
        <div className="transcribe-open">
          {item !== undefined && <Transcript key={item.id} item={item} />}
          {item === undefined && openId !== undefined && isLoaded && (
            <EmptyState title={t("transcribe.gone")} text={t("transcribe.gone.text")} />
          )}
          {openId === undefined && (
            <>
              {isRecording && phase !== "starting" && <RecordBar />}
              {!hasItems && !hasUploads && (
                <div className="transcribe-options transcribe-options-alone">
                  <OptionsPopover />
                </div>
              )}
              <StartArea
                onFiles={importFiles}
                onPick={openFilePicker}
                onRecord={() => void startOrShowRecording()}
                isRecording={isRecording}
                isStarting={phase === "starting"}
                message={isRecording ? undefined : message}
              />
            </>
          )}
        </div>
      </div>
    </PageFrame>
  );
}
