// Work that goes on: how far it is, in a line and in figures, and how to stop it.

import { X } from "lucide-react";
import type { ReactNode } from "react";
import { t } from "../../messages/messages.ts";
import { Button } from "../../ui/button.tsx";
import { Progress } from "../../ui/progress.tsx";

type ProgressLineProps = {
  label: string;
  /** 0 to 1; undefined: not known yet. */ progress: number | undefined;
  /** What the button stops. */ cancelLabel: string;
  isStopping?: boolean;
  onCancel: () => void;
  children: ReactNode;
};

/** Whoever is at its button when it goes, having stopped the work or not, comes to what is the main thing then. */
const moveFocusOnRemoval = (line: HTMLDivElement) => (): void => {
  // Once all is drawn: that button may be another one by then.
  if (line.contains(document.activeElement))
    queueMicrotask(() =>
      document
        .querySelector<HTMLElement>(
          ".narration-header-tools .button-primary, .export-panel-foot .button-primary",
        )
        ?.focus(),
    );
};

export const ProgressLine = ({
  label,
  progress,
  cancelLabel,
  isStopping,
  onCancel,
  children,
}: ProgressLineProps) => (
  <div ref={moveFocusOnRemoval} className="narration-work">
    <Progress label={label} fraction={progress} />
    <span className="figures" role="status">
      {children}
    </span>
    <Button
      isSmall
      icon={<X aria-hidden />}
      aria-label={cancelLabel}
      isBusy={isStopping}
      onClick={onCancel}
    >
      {t("shell.cancel")}
    </Button>
  </div>
);
