// The first start: shows in under a minute what the app does. It synthesizes a sentence and transcribes the result.

import "./welcome.css";
import { AudioLines, Check, Mic, Upload } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { transcribeAudio, synthesizeSpeech } from "../../api/speech.ts";
import { t } from "../../messages/messages.ts";
import { acceptAttribute } from "../../stores/accepted-files.ts";
import { addIncomingFiles } from "../../stores/incoming.ts";
import { mediaPlayback } from "../../stores/media-playback.ts";
import { closePlayer, openInPlayer, play, usePlayer } from "../../stores/player.ts";
import { changePreferences } from "../../stores/preferences.ts";
import { go } from "../../stores/route.ts";
import { useTask } from "../../stores/task.ts";
import { Button } from "../../ui/button.tsx";
import { TextArea } from "../../ui/field.tsx";
import { FileInput } from "../../ui/file-input.tsx";
import { Notice } from "../../ui/notice.tsx";
import { PageFrame } from "../../ui/page-frame.tsx";

const playerId = "welcome";
const maxCharacters = 300;

function finishWelcome(path: string): void {
  void changePreferences({ hasSeenWelcome: true });
  go(path);
}

export function Page() {
  return (
    <PageFrame
      title={t("welcome.title")}
      about={t("welcome.about")}
      actions={
        <Button icon={<Check aria-hidden />} onClick={() => finishWelcome("/transcribe")}>
          {t("welcome.done")}
        </Button>
      }
    >
      <div className="page-body">
        <div className="welcome">
          <p className="welcome-lead">{t("welcome.lead")}</p>
          <SpeechStep />
          <FileStep />
        </div>
      </div>
    </PageFrame>
  );
}

/** Synthesizes a sentence, then transcribes the audio: both functions of the app in one step. */
function SpeechStep() {
  const [text, setText] = useState(t("welcome.speak.example"));
  const [clip, setClip] = useState<Blob>();
  const [transcript, setTranscript] = useState<string>();
  const synthesisTask = useTask();
  const transcriptionTask = useTask();
  const audioUrlRef = useRef<string>(undefined);
  useEffect(
    () => () => {
      if (usePlayer.getState().source?.id === playerId) closePlayer();
      if (audioUrlRef.current !== undefined) URL.revokeObjectURL(audioUrlRef.current);
    },
    [],
  );
  const playSentence = () =>
    void synthesisTask.run(async (signal) => {
      setTranscript(undefined);
      const audio = await synthesizeSpeech(text, { model: "tts-1-hd", voice: "nova" }, signal);
      setClip(audio);
      closePlayer();
      if (audioUrlRef.current !== undefined) URL.revokeObjectURL(audioUrlRef.current);
      const audioUrl = URL.createObjectURL(audio);
      audioUrlRef.current = audioUrl;
      openInPlayer({
        id: playerId,
        title: t("welcome.clip"),
        speaker: "nova",
        createPlayback: mediaPlayback(() => audioUrl),
      });
      await play();
    });
  const transcribeClip = () =>
    void transcriptionTask.run(
      async (signal) =>
        clip &&
        setTranscript(
          (await transcribeAudio(clip, "sentence.mp3", { model: "whisper-1" }, signal)).text,
        ),
    );
  return (
    <section className="welcome-step">
      <h2>{t("welcome.speak")}</h2>
      <TextArea
        label={t("welcome.speak.label")}
        isLabelHidden
        rows={2}
        maxLength={maxCharacters}
        value={text}
        className="welcome-text"
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <div className="welcome-actions">
        <Button
          kind={clip === undefined ? "primary" : "secondary"}
          icon={<AudioLines aria-hidden />}
          isBusy={synthesisTask.isBusy}
          disabledReason={text.trim() === "" ? t("welcome.speak.empty") : undefined}
          onClick={playSentence}
        >
          {t("welcome.speak.run")}
        </Button>
        <Button
          kind={clip !== undefined && transcript === undefined ? "primary" : "secondary"}
          icon={<Mic aria-hidden />}
          isBusy={transcriptionTask.isBusy}
          disabledReason={clip === undefined ? t("welcome.transcribe.nothing") : undefined}
          onClick={transcribeClip}
        >
          {t("welcome.transcribe.run")}
        </Button>
      </div>
      {(synthesisTask.error ?? transcriptionTask.error) !== undefined && (
        <Notice tone="bad">{synthesisTask.error ?? transcriptionTask.error}</Notice>
      )}
      {transcript !== undefined && (
        <div className="welcome-transcript" role="status">
          <p className="secondary">{t("welcome.transcribe.result")}</p>
          <p className="welcome-text">{transcript}</p>
        </div>
      )}
    </section>
  );
}

function FileStep() {
  const picker = useRef<HTMLInputElement>(null);
  return (
    <section className="welcome-step">
      <h2>{t("welcome.file")}</h2>
      <p className="secondary">{t("welcome.file.text")}</p>
      <div className="welcome-actions">
        <Button icon={<Upload aria-hidden />} onClick={() => picker.current?.click()}>
          {t("welcome.file.pick")}
        </Button>
        <Button kind="quiet" onClick={() => finishWelcome("/narrate")}>
          {t("welcome.narrate")}
        </Button>
      </div>
      <FileInput
        ref={picker}
        accept={acceptAttribute("media")}
        multiple
        onFiles={(files) => {
          addIncomingFiles(files.map((file) => ({ kind: "media", file })));
          finishWelcome("/transcribe");
        }}
      />
    </section>
  );
}
