// Exports of a transcript: copy, save as a file, drag into another program.

import { Check, ClipboardCopy, Download, GripVertical } from "lucide-react";
import { useState } from "react";
import { exportUrl } from "../../../api/binary.ts";
import { copyText } from "../../../bridge/bridge.ts";
import { t } from "../../../messages/messages.ts";
import { Button, IconButton } from "../../../ui/button.tsx";
import { Menu } from "../../../ui/menu.tsx";
import { plainText, timedText } from "./plain-text.ts";
import { useTranscript, useView } from "./use-transcript.ts";

/** `noTextReason`: why there is nothing to copy. */
export function CopyMenu({ noTextReason }: { noTextReason: string | undefined }) {
  const { open } = useTranscript();
  const [copyResult, setCopyResult] = useState<string>();
  const copy = async (text: string): Promise<void> => {
    setCopyResult((await copyText(text)) ? t("frame.copied") : t("frame.copy.refused"));
    setTimeout(() => setCopyResult(undefined), 3000);
  };
  const segments = () => open.store.getState().segments;
  if (noTextReason !== undefined) {
    return (
      <IconButton label={t("transcribe.copy")} disabledReason={noTextReason}>
        <ClipboardCopy aria-hidden />
      </IconButton>
    );
  }
  return (
    <>
      <span className="unseen" role="status">
        {copyResult}
      </span>
      <Menu
        items={[
          { label: t("transcribe.copy.text"), run: () => void copy(plainText(segments())) },
          { label: t("transcribe.copy.times"), run: () => void copy(timedText(segments())) },
        ]}
      >
        <IconButton label={copyResult ?? t("transcribe.copy")}>
          {copyResult === undefined ? <ClipboardCopy aria-hidden /> : <Check aria-hidden />}
        </IconButton>
      </Menu>
    </>
  );
}

export function ExportButtons({ noTextReason }: { noTextReason: string | undefined }) {
  const { item, open, actions } = useTranscript();
  const panel = useView((view) => view.panel);
  if (noTextReason !== undefined) {
    return (
      <Button icon={<Download aria-hidden />} disabledReason={noTextReason}>
        {t("transcribe.export")}
      </Button>
    );
  }
  return (
    <>
      <Button
        icon={<Download aria-hidden />}
        aria-expanded={panel === "export"}
        onClick={() => actions.showPanel(panel === "export" ? undefined : "export")}
      >
        {t("transcribe.export")}
      </Button>
      <IconButton
        label={t("transcribe.drag")}
        className="transcript-drag"
        draggable
        onDragStart={({ dataTransfer }) => {
          void open.store.save();
          dataTransfer.setData("text/plain", plainText(open.store.getState().segments));
          // Chromium turns this into a file where it is dropped.
          const fileName = `${item.title.replaceAll(/[\\/:*?"<>|]/g, " ")}.txt`;
          const { href } = new URL(exportUrl(item.id, "txt"), location.href);
          dataTransfer.setData("DownloadURL", `text/plain:${fileName}:${href}`);
          dataTransfer.effectAllowed = "copy";
        }}
        onClick={() => void copyText(plainText(open.store.getState().segments))}
      >
        <GripVertical aria-hidden />
      </IconButton>
    </>
  );
}
