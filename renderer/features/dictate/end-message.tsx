// How a dictation ended, in one sentence, with actions.

import { Check, CircleAlert, Copy, Mic, RotateCcw, Save, X } from "lucide-react";
import { useState, type ReactNode } from "react";
import { copyText, downloadBlob } from "../../bridge/bridge.ts";
import { desktopBridge } from "../../bridge/desktop.ts";
import { t } from "../../messages/messages.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { fileName, discardAndClose, toggleDictation } from "./session.ts";

type EndMessageProps = {
  icon: ReactNode;
  tone?: "plain" | "good" | "bad";
  text: ReactNode;
  actions?: ReactNode;
  /** Text of the close button: what closing means here. */
  closeLabel?: string;
};

export function EndMessage({
  icon,
  tone = "plain",
  text,
  actions,
  closeLabel = t("dictate.close"),
}: EndMessageProps) {
  return (
    <div className={`dictate-end dictate-end-${tone}`}>
      {icon}
      {/* tabIndex: text that is longer than the window can be scrolled by keyboard. */}
      <div className="dictate-said" role={tone === "bad" ? "alert" : "status"} tabIndex={0}>
        {text}
      </div>
      {actions !== undefined && (
        <div className="dictate-actions">
          {actions}
          <IconButton label={closeLabel} isSmall onClick={() => void discardAndClose()}>
            <X aria-hidden />
          </IconButton>
        </div>
      )}
    </div>
  );
}

/** Copy button, for a text that no desktop took. */
export function CopyText({ text }: { text: string }) {
  const [outcome, setOutcome] = useState<"copied" | "refused">();
  return (
    <>
      {outcome === "refused" && <span className="field-error">{t("frame.copy.refused")}</span>}
      <Button
        kind="primary"
        isSmall
        icon={outcome === "copied" ? <Check aria-hidden /> : <Copy aria-hidden />}
        onClick={async () => setOutcome((await copyText(text)) ? "copied" : "refused")}
      >
        {outcome === "copied" ? t("frame.copied") : t("dictate.copy")}
      </Button>
    </>
  );
}

/** Only in a browser; on the desktop the dictation key restarts. */
export const RestartButton = () =>
  desktopBridge() === undefined && (
    <IconButton label={t("dictate.again")} keys="Enter" isSmall onClick={toggleDictation}>
      <Mic aria-hidden />
    </IconButton>
  );

/** Audio that was neither transcribed nor saved to the library: this window has the only copy. */
export const UnsavedDictation = ({ why, audio }: { why: string; audio: Blob }) => (
  <EndMessage
    icon={<CircleAlert aria-hidden />}
    tone="bad"
    text={t("dictate.unkept", { why })}
    closeLabel={t("dictate.discard")}
    actions={
      <>
        <IconButton label={t("dictate.retry")} keys="Enter" isSmall onClick={toggleDictation}>
          <RotateCcw aria-hidden />
        </IconButton>
        <IconButton
          label={t("dictate.save")}
          isSmall
          onClick={() => downloadBlob(audio, fileName())}
        >
          <Save aria-hidden />
        </IconButton>
      </>
    }
  />
);
