// Asks the user before a window with unfinished content closes or reloads. The window stays open meanwhile and is
// closed again afterwards: a synchronous dialog would block the server, which runs in this process.

import { type BrowserWindow, dialog } from "electron";
import type { Messages } from "./messages.ts";
import type { Quit } from "./quit.ts";

export type ConfirmClosingDeps = {
  quit: Pick<Quit, "isQuitting" | "cancel">;
  /** Sentence about what happens to the content. */
  detail(texts: Messages): string;
  texts(): Messages;
};

/** Call it after all other listeners of the window's `close` event. */
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
    // The window may be hidden.
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
    // Fails if the window is gone meanwhile.
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
      // Pages can only navigate to themselves (navigation.ts), so this is a reload.
      if (!isDialogOpen)
        confirmLeaveSafely(texts().reloadAnyway, () => window.webContents.reload());
      return;
    }
    isClosing = false;
    const proceed = quit.isQuitting() ? quit.cancel() : () => window.close();
    if (!isDialogOpen) confirmLeaveSafely(texts().leave, proceed);
  });
  // Ask again for the reloaded page.
  window.webContents.on("did-navigate", () => (isLeaveConfirmed = false));
}
