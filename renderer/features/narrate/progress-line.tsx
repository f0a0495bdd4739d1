// Progress of a task as bar and text, with a stop button.

import { X } from "lucide-react";
import type { ReactNode } from "react";
import { t } from "../../messages/messages.ts";
import { Button } from "../../ui/button.tsx";
import { focusOnRemoval } from "../../ui/focus-on-removal.ts";
import { Progress } from "../../ui/progress.tsx";

type ProgressLineProps = {
  label: string;
  /** 0 to 1; undefined: not known yet. */
  progress: number | undefined;
  /** What the button stops. */
  cancelLabel: string;
  isStopping?: boolean;
  onCancel: () => void;
  children: ReactNode;
};

/** The stop button may have the focus. */
const focusMainAction = focusOnRemoval(
  ".narration-header-tools .button-primary, .export-panel-foot .button-primary",
);

export const ProgressLine = ({
  label,
  progress,
  cancelLabel,
  isStopping,
  onCancel,
  children,
}: ProgressLineProps) => (
  <div ref={focusMainAction} className="narration-work">
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
      {t("frame.cancel")}
    </Button>
  </div>
);
