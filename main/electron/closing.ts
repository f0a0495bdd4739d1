// What closing a window means, or loading its page anew, while the page has something unfinished: the person is asked. The window stays meanwhile and
// is closed anew afterwards, since a question that everything waits for would stop the gateway, which runs in this process.

import { type BrowserWindow, dialog } from "electron";
import type { Messages } from "./messages.ts";
import type { Quit } from "./quit.ts";

export type ClosingDeps = {
  quit: Pick<Quit, "isUnderWay" | "callOff">;
  /** What becomes of it, in a sentence. */
  detail(texts: Messages): string;
  texts(): Messages;
};

/** To be called behind whatever else decides on the window's `close`. */
export function askBeforeClosing(
  window: BrowserWindow,
  { quit, detail, texts }: ClosingDeps,
): void {
  let isClosing = false;
  let isAsking = false;
  let mayLeave = false;

  async function ask(leave: string, goOn: () => void): Promise<void> {
    const { stay, unsaved } = texts();
    isAsking = true;
    // The question belongs to a window that may be hidden.
    window.show();
    const { response } = await dialog.showMessageBox(window, {
      type: "question",
      buttons: [leave, stay],
      defaultId: 1,
      cancelId: 1,
      message: unsaved,
      detail: detail(texts()),
    });
    isAsking = false;
    if (response !== 0) return;
    mayLeave = true;
    goOn();
  }

  function askSafely(leave: string, goOn: () => void): void {
    // A window that is gone meanwhile has nobody to ask.
    ask(leave, goOn).catch(() => (isAsking = false));
  }

  window.on("close", (event) => {
    isClosing = !event.defaultPrevented;
  });
  window.webContents.on("will-prevent-unload", (event) => {
    // preventDefault here lets the page unload.
    if (mayLeave) {
      event.preventDefault();
      return;
    }
    if (!isClosing) {
      // Pages lead nowhere but to themselves (navigation.ts).
      if (!isAsking) askSafely(texts().reloadAnyway, () => window.webContents.reload());
      return;
    }
    isClosing = false;
    const goOn = quit.isUnderWay() ? quit.callOff() : () => window.close();
    if (!isAsking) askSafely(texts().leave, goOn);
  });
  // The page that was loaded anew is asked about like the first.
  window.webContents.on("did-navigate", () => (mayLeave = false));
}
