// Error boundary: a page that fails to render shows an error and a retry button, and the rest of the window goes on.

import { RotateCcw, Unplug } from "lucide-react";
import { Component, type ReactNode } from "react";
import { messageOf } from "../api/error.ts";
import { t } from "../messages/messages.ts";
import { Button } from "../ui/button.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { TooltipProvider } from "../ui/tooltip.tsx";

export class ErrorBoundary extends Component<{ children: ReactNode }, { error: unknown }> {
  override state: { error: unknown } = { error: undefined };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    if (this.state.error === undefined) return this.props.children;
    return (
      <main role="alert">
        <EmptyState
          title={t("frame.broken")}
          text={t("frame.broken.text", { why: messageOf(this.state.error) })}
        >
          <Button icon={<RotateCcw aria-hidden />} onClick={() => location.reload()}>
            {t("frame.reload")}
          </Button>
        </EmptyState>
      </main>
    );
  }
}

/** The app did not respond when the window opened. */
export const StartFailure = ({ message }: { message: string }) => (
  <TooltipProvider>
    <main role="alert">
      <EmptyState icon={<Unplug aria-hidden />} title={t("frame.noAnswer")} text={message}>
        <Button kind="primary" onClick={() => location.reload()}>
          {t("frame.retry")}
        </Button>
      </EmptyState>
    </main>
  </TooltipProvider>
);
