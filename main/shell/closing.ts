// What closing a window means whose page has something unfinished: the person is asked. The window stays meanwhile and
// is closed anew afterwards, since a question that everything waits for would stop the gateway, which runs in this process.

import { type BrowserWindow, dialog } from 'electron';
import type { Messages } from './messages.ts';
import type { Quit } from './quit.ts';

export type ClosingDeps = {
  quit: Pick<Quit, 'isUnderWay' | 'callOff'>;
  /** What becomes of it, in a sentence. */
  detail(texts: Messages): string;
  texts(): Messages;
};

/** To be called behind whatever else decides on the window's `close`. */
export function askBeforeClosing(window: BrowserWindow, { quit, detail, texts }: ClosingDeps): void {
  let isClosing = false;
  let isAsking = false;
  let mayClose = false;

  async function ask(goOn: () => void): Promise<void> {
    const { leave, stay, unsaved } = texts();
    isAsking = true;
    // The question belongs to a window that may be hidden.
    window.show();
    const { response } = await dialog.showMessageBox(window, { type: 'question', buttons: [leave, stay], defaultId: 1, cancelId: 1, message: unsaved, detail: detail(texts()) });
    isAsking = false;
    if (response !== 0) return;
    mayClose = true;
    goOn();
  }

  window.on('close', (event) => {
    isClosing = !event.defaultPrevented;
  });
  window.webContents.on('will-prevent-unload', (event) => {
    // What is prevented is that the page stays. One that loads itself anew was told to by the person.
    if (mayClose || !isClosing) {
      event.preventDefault();
      return;
    }
    isClosing = false;
    const goOn = quit.isUnderWay() ? quit.callOff() : () => window.close();
    // A window that is gone meanwhile has nobody to ask.
    if (!isAsking) ask(goOn).catch(() => (isAsking = false));
  });
}
