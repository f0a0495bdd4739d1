// What closing a window means, or loading its page anew, while the page has something unfinished: the person is asked. The window stays meanwhile and
// is closed anew afterwards, since a question that everything waits for would stop the gateway, which runs in this process.

import { type BrowserWindow, dialog } from "electron";
import type { Messages } from "./messages.ts";
import type { Quit } from "./quit.ts";

export type ConfirmClosingDeps = {
  quit: Pick<Quit, "isQuitting" | "cancel">;
  /** What becomes of it, in a sentence. */
  detail(texts: Messages): string;
  texts(): Messages;
};

/** To be called behind whatever else decides on the window's `close`. */
export function confirmBeforeClosing(
  window: BrowserWindow,
  { quit, detail, texts }: ConfirmClosingDeps,
): void {
  let isClosing = false;
  let isDialogOpen = false;
  let isLeaveConfirmed = false;

  async function confirmLeave(leaveLabel: string, proceed: () => void): Promise<void> {
    const { stay, unsaved } = texts();
    isDialogOpen = true;
    // The question belongs to a window that may be hidden.
    window.show();
    const { response } = await dialog.showMessageBox(window, {
      type: "question",
      buttons: [leaveLabel, stay],
      defaultId: 1,
      cancelId: 1,
      message: unsaved,
      detail: detail(texts()),
    });
    isDialogOpen = false;
    if (response !== 0) return;
    isLeaveConfirmed = true;
    proceed();
  }

  function confirmLeaveSafely(leaveLabel: string, proceed: () => void): void {
    // A window that is gone meanwhile has nobody to ask.
    confirmLeave(leaveLabel, proceed).catch(() => (isDialogOpen = false));
  }

  window.on("close", (event) => {
    isClosing = !event.defaultPrevented;
  });
  window.webContents.on("will-prevent-unload", (event) => {
    // preventDefault here lets the page unload.
    if (isLeaveConfirmed) {
      event.preventDefault();
      return;
    }
    if (!isClosing) {
      // Pages lead nowhere but to themselves (navigation.ts).
      if (!isDialogOpen)
        confirmLeaveSafely(texts().reloadAnyway, () => window.webContents.reload());
      return;
    }
    isClosing = false;
    const proceed = quit.isQuitting() ? quit.cancel() : () => window.close();
    if (!isDialogOpen) confirmLeaveSafely(texts().leave, proceed);
  });
  // The page that was loaded anew is asked about like the first.
  window.webContents.on("did-navigate", () => (isLeaveConfirmed = false));
}
