// Notifications of the system. The window shows everything too: a system that refuses them takes nothing away.

import { Notification } from "electron";

export type Notifications = {
  show(title: string, body: string, onClick?: () => void): void;
};

export function createNotifications(): Notifications {
  /** What nobody holds may be collected, and its click with it. */
  const openNotifications = new Set<Notification>();
  return {
    show(title, body, onClick) {
      if (!Notification.isSupported()) return;
      const notification = new Notification({ title, body });
      const release = (): void => void openNotifications.delete(notification);
      notification.on("close", release);
      // macOS shows none of an app that is not signed.
      notification.on("failed", release);
      notification.on("click", () => {
        release();
        onClick?.();
      });
      openNotifications.add(notification);
      notification.show();
    },
  };
}
