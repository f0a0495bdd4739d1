// An item's transcript: audio, the open panel, text.

import "./transcript.css";
import type { Item } from "../../../../main/contract/library-item.ts";
import { t } from "../../../messages/messages.ts";
import { Button } from "../../../ui/button.tsx";
import { Notice } from "../../../ui/notice.tsx";
import { isInProgress } from "../queue/item-actions.ts";
import { JobNotice } from "../queue/job-notice.tsx";
import { RecordBar } from "../record/record-bar.tsx";
import { useRecorder } from "../record/recorder.ts";
import { RetranscribePanel } from "./retranscribe-panel.tsx";
import { LowConfidencePanel } from "./low-confidence-panel.tsx";
import { ExportPanel } from "./export-panel.tsx";
import { FindSpeakersPanel } from "./find-speakers-panel.tsx";
import { FindPanel } from "./find-panel.tsx";
import { SegmentList } from "./segment-list.tsx";
import { DraftText } from "./draft-text.tsx";
import { useDrafts } from "./drafts.ts";
import { AudioSection } from "./audio-section.tsx";
import { SpeakerPanel } from "./speaker-panel.tsx";
import { TranscriptHeader } from "./transcript-header.tsx";
import { TranscriptCommands } from "./transcript-commands.tsx";
import {
  TranscriptContext,
  useDocument,
  useOpenTranscript,
  useTranscript,
  useView,
} from "./use-transcript.ts";

export function Transcript({ item }: { item: Item }) {
  const transcript = useOpenTranscript(item);
  const isRecording = useRecorder((state) => state.itemId === item.id);
  return (
    <TranscriptContext value={transcript}>
      <article className="transcript" aria-label={item.title}>
        <TranscriptCommands />
        <TranscriptHeader />
        {isRecording ? <RecordBar /> : <AudioSection />}
        <JobNotice item={item} isRecordedHere={isRecording} />
        <OpenPanel />
        <TranscriptText />
      </article>
    </TranscriptContext>
  );
}

function OpenPanel() {
  const panel = useView((view) => view.panel);
  const retranscribeRange = useView((view) => view.retranscribeRange);
  if (panel === "find") return <FindPanel />;
  if (panel === "lowConfidence") return <LowConfidencePanel />;
  if (panel === "export") return <ExportPanel />;
  if (panel === "speaker") return <SpeakerPanel />;
  if (panel === "findSpeakers") return <FindSpeakersPanel />;
  return panel === "retranscribe" && retranscribeRange !== undefined ? (
    <RetranscribePanel
      key={`${retranscribeRange.fromSec} ${retranscribeRange.toSec}`}
      range={retranscribeRange}
    />
  ) : null;
}

const isTextComing = (item: Item): boolean => isInProgress(item) || item.state === "recording";

function TranscriptText() {
  const { item, open } = useTranscript();
  const phase = useDocument((state) => state.phase);
  const message = useDocument((state) => state.message);
  const isEmpty = useDocument((state) => state.segments.length === 0);
  const hasDraft = useDrafts(item.id).length > 0;
  const isConflicting = useDocument((state) => state.saving === "conflict");
  if (phase === "failed" && !isTextComing(item)) {
    return (
      <div className="transcript-note">
        <Notice
          tone="bad"
          action={
            <Button isSmall onClick={() => void open.store.load()}>
              {t("transcribe.try-again")}
            </Button>
          }
        >
          {message}
        </Notice>
      </div>
    );
  }
  if (isEmpty && !isConflicting) return hasDraft ? <DraftText itemId={item.id} /> : <NoText />;
  return (
    <>
      {isConflicting && (
        <div className="transcript-note">
          <Notice
            tone="warn"
            action={
              <>
                <Button isSmall onClick={() => open.store.acceptRemote(t("transcribe.undo.other"))}>
                  {t("transcribe.conflict.take")}
                </Button>
                <Button isSmall onClick={() => open.store.keepLocal()}>
                  {t("transcribe.conflict.keep")}
                </Button>
              </>
            }
          >
            {t("transcribe.conflict")}
          </Notice>
        </div>
      )}
      <SegmentList />
      {hasDraft && <DraftText itemId={item.id} />}
    </>
  );
}

/** Why there is no text. */
function NoText() {
  const { item } = useTranscript();
  const isLoading = useDocument((state) => state.phase === "loading");
  // What failed or was cancelled has its notice. Whether there is speech in it is not known.
  const isComing = isLoading || isTextComing(item);
  if (!isComing && item.state !== "done") return null;
  return (
    <p className="transcript-note secondary">
      {isComing ? t("transcribe.text.coming") : t("transcribe.text.none")}
    </p>
  );
}
