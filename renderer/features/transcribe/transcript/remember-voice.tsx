// Asks before the voice of a speaker is remembered, since voice prints are personal data.

import { t } from "../../../messages/messages.ts";
import { useTask } from "../../../stores/task.ts";
import { Confirm } from "../../../ui/dialog.tsx";
import { useTranscript } from "./use-transcript.ts";

type RememberVoiceProps = { name: string; isOpen: boolean; onClose: () => void };

export function RememberVoice({ name, isOpen, onClose }: RememberVoiceProps) {
  const { actions } = useTranscript();
  const { isBusy, error, run, clear } = useTask();
  const close = (): void => {
    clear();
    onClose();
  };
  const remember = async (): Promise<void> => {
    if (await run(() => actions.rememberVoice(name))) close();
  };
  return (
    <Confirm
      title={t("transcribe.speaker.remember")}
      text={t("transcribe.speaker.remember.sure", { name })}
      verb={t("transcribe.speaker.remember")}
      kind="primary"
      isOpen={isOpen}
      isBusy={isBusy}
      error={error}
      onConfirm={() => void remember()}
      onClose={close}
    />
  );
}
