// Notifications of the system. The window shows everything too: a system that refuses them takes nothing away.

import { Notification } from "electron";

export type Notices = {
  show(title: string, body: string, onClick?: () => void): void;
};

export function createNotices(): Notices {
  /** What nobody holds may be collected, and its click with it. */
  const shown = new Set<Notification>();
  return {
    show(title, body, onClick) {
      if (!Notification.isSupported()) return;
      const notice = new Notification({ title, body });
      const drop = (): void => void shown.delete(notice);
      notice.on("close", drop);
      // macOS shows none of an app that is not signed.
      notice.on("failed", drop);
      notice.on("click", () => {
        drop();
        onClick?.();
      });
      shown.add(notice);
      notice.show();
    },
  };
}
