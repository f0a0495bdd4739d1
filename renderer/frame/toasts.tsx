// Toasts in the corner; screen readers announce them without moving the focus.

import "./toasts.css";
import { CircleAlert, CircleCheck, X } from "lucide-react";
import { t } from "../messages/messages.ts";
import { dismissToast, toastText, useToasts } from "../stores/toasts.ts";
import { Button, IconButton } from "../ui/button.tsx";

export function Toasts() {
  const toasts = useToasts((state) => state.toasts);
  return (
    <section className="toasts" aria-label={t("frame.toasts")} aria-live="polite">
      {toasts.map(({ id, tone, action, ...toast }) => (
        <div key={id} className={`toast toast-${tone}`}>
          {tone === "good" && <CircleCheck aria-hidden />}
          {tone === "bad" && <CircleAlert aria-hidden />}
          <span className="toast-text">{toastText(toast)}</span>
          {action !== undefined && (
            <Button
              isSmall
              kind="quiet"
              onClick={() => {
                dismissToast(id);
                action.run();
              }}
            >
              {action.label}
            </Button>
          )}
          <IconButton label={t("frame.dismiss")} isSmall onClick={() => dismissToast(id)}>
            <X aria-hidden />
          </IconButton>
        </div>
      ))}
    </section>
  );
}
