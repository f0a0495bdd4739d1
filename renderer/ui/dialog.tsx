// Modal dialog, only for destructive actions or secrets. The browser's `<dialog>` traps the focus, closes on Escape and
// makes the rest inert without injected styles.

import "./dialog.css";
import { X } from "lucide-react";
import { useLayoutEffect, useRef, useState, type ReactNode } from "react";
import { t } from "../messages/messages.ts";
import { Button, IconButton } from "./button.tsx";
import { PortalContext } from "./portal.ts";

type DialogProps = {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  isWide?: boolean;
  children: ReactNode;
};

/** The content is mounted only while it is open, so that it starts afresh each time. */
export function Dialog({ title, isOpen, onClose, isWide, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  // State instead of a ref, so that portals inside get the element as soon as it exists.
  const [element, setElement] = useState<HTMLDialogElement | null>(null);
  useLayoutEffect(() => {
    const dialog = ref.current;
    setElement(dialog);
    if (dialog === null || !isOpen) {
      dialog?.close();
      return;
    }
    dialog.showModal();
    // Focuses the first field or the safe button; never the close button, whose tooltip would open.
    (
      dialog.querySelector<HTMLElement>("input, textarea, select, .dialog-actions button") ?? dialog
    ).focus();
  }, [isOpen]);
  return (
    <dialog
      ref={ref}
      tabIndex={-1}
      className={`dialog ${isWide ? "dialog-wide" : ""}`}
      aria-label={title}
      // Arrives late: the dialog may have been opened again since, or another one instead.
      onClose={() => isOpen && !ref.current?.open && onClose()}
      onPointerDown={(event) => event.target === ref.current && ref.current?.close()}
    >
      {isOpen && (
        <PortalContext value={element}>
          <div className="dialog-head">
            <h2>{title}</h2>
            <IconButton label={t("frame.close")} onClick={() => ref.current?.close()}>
              <X aria-hidden />
            </IconButton>
          </div>
          <div className="dialog-body">{children}</div>
        </PortalContext>
      )}
    </dialog>
  );
}

export const DialogActions = ({ children }: { children: ReactNode }) => (
  <div className="dialog-actions">{children}</div>
);

type ConfirmProps = {
  title: string;
  text: ReactNode;
  verb: string;
  isOpen: boolean;
  /** Most of what is asked about cannot be undone. */
  kind?: "danger" | "primary";
  isBusy?: boolean;
  error?: string | undefined;
  onConfirm: () => void;
  onClose: () => void;
};

/** Asks before an action that cannot be undone, or that needs consent. `verb` is the button's text. */
export function Confirm({
  title,
  text,
  verb,
  isOpen,
  kind = "danger",
  isBusy,
  error,
  onConfirm,
  onClose,
}: ConfirmProps) {
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose}>
      <p>{text}</p>
      {error !== undefined && (
        <p className="field-error" role="alert">
          {error}
        </p>
      )}
      <DialogActions>
        <Button onClick={onClose}>{t("frame.cancel")}</Button>
        <Button kind={kind} isBusy={isBusy} onClick={onConfirm}>
          {verb}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
