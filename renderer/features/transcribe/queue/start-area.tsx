// Start screen: drop area, a button to record, a sample to try.

import "./start-area.css";
import { AudioLines, Captions, FolderOpen, Mic, Sparkles } from "lucide-react";
import { useState } from "react";
import { messageOf } from "../../../api/error.ts";
import { request } from "../../../api/client.ts";
import { voiceSampleUrl } from "../../../api/binary.ts";
import { t } from "../../../messages/messages.ts";
import { openCaptions } from "../../../stores/captions-window.ts";
import { Button } from "../../../ui/button.tsx";
import { StartScreen } from "../../../ui/start-screen.tsx";
import { Notice } from "../../../ui/notice.tsx";
import { InputButton } from "../record/input-popover.tsx";

type StartAreaProps = {
  onFiles: (files: readonly File[]) => void;
  onPick: () => void;
  onRecord: () => void;
  /** While recording, the record button shows the recording instead. */
  isRecording: boolean;
  isStarting: boolean;
  message: string | undefined;
};

export function StartArea({
  onFiles,
  onPick,
  onRecord,
  isRecording,
  isStarting,
  message,
}: StartAreaProps) {
  const [sampleState, setSampleState] = useState<{ isBusy: boolean; error?: string }>({
    isBusy: false,
  });

  /** A synthesized sentence: needs no network and no file. */
  async function trySample(): Promise<void> {
    setSampleState({ isBusy: true });
    try {
      const audio = await (await request(voiceSampleUrl("nova"))).blob();
      onFiles([new File([audio], `${t("transcribe.sample.name")}.mp3`, { type: "audio/mpeg" })]);
      setSampleState({ isBusy: false });
    } catch (error) {
      setSampleState({ isBusy: false, error: messageOf(error) });
    }
  }

  return (
    <div className="start-area">
      <StartScreen
        icon={<AudioLines aria-hidden />}
        title={t("transcribe.start.title")}
        text={t("transcribe.start.text")}
        actions={
          <>
            <Button
              kind={isRecording ? "secondary" : "primary"}
              icon={<Mic aria-hidden />}
              isBusy={isStarting}
              onClick={onRecord}
            >
              {isRecording && !isStarting ? t("transcribe.record.show") : t("transcribe.record")}
            </Button>
            <Button icon={<FolderOpen aria-hidden />} onClick={onPick}>
              {t("transcribe.pick")}
            </Button>
            <Button icon={<Captions aria-hidden />} onClick={() => void openCaptions()}>
              {t("frame.captions")}
            </Button>
            <Button
              kind="quiet"
              icon={<Sparkles aria-hidden />}
              isBusy={sampleState.isBusy}
              onClick={() => void trySample()}
            >
              {t("transcribe.sample")}
            </Button>
          </>
        }
      >
        {!isRecording && <InputButton onRecord={onRecord} />}
        {(message ?? sampleState.error) !== undefined && (
          <Notice tone="bad">{message ?? sampleState.error}</Notice>
        )}
      </StartScreen>
    </div>
  );
}
