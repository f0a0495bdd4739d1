// System notifications. Optional: the window shows the same information.

import { Notification } from "electron";

export type Notifications = {
  show(title: string, body: string, onClick?: () => void): void;
};

export function createNotifications(): Notifications {
  /** Referenced until closed: garbage collection would remove the click listener. */
  const openNotifications = new Set<Notification>();
  return {
    show(title, body, onClick) {
      if (!Notification.isSupported()) return;
      const notification = new Notification({ title, body });
      const release = (): void => void openNotifications.delete(notification);
      notification.on("close", release);
      // macOS shows no notifications of unsigned apps.
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
