// Work that goes on: how far it is, in a line and in figures, and how to stop it.

import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { t } from '../../messages/messages.ts';
import { Button } from '../../ui/button.tsx';
import { Progress } from '../../ui/progress.tsx';

type WorkLineProps = { label: string; /** 0 to 1 */ part: number; /** What the button stops. */ cancelLabel: string; isStopping?: boolean; onCancel: () => void; children: ReactNode };

export const WorkLine = ({ label, part, cancelLabel, isStopping, onCancel, children }: WorkLineProps) => (
  <div className="narration-work">
    <Progress label={label} part={part} />
    <span className="figures" role="status">
      {children}
    </span>
    <Button isSmall icon={<X aria-hidden />} aria-label={cancelLabel} isBusy={isStopping} onClick={onCancel}>
      {t('shell.cancel')}
    </Button>
  </div>
);
