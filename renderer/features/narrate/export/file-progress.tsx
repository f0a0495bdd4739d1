// How far a narration's file is, with a way to stop: below the title, whatever panel is open.

import { formatTime } from '../../../messages/format.ts';
import { t } from '../../../messages/messages.ts';
import { useAction } from '../../../stores/actions.ts';
import { useNarration } from '../use-narration.ts';
import { WorkLine } from '../work-line.tsx';
import type { BookFileState } from './book-file.ts';

/** A pace from less is a guess. */
const leastPaceSec = 3;

/** Drawn anew as often as the app tells how far it is. */
export function FileProgress({ making: { sinceMs, part } }: { making: NonNullable<BookFileState['making']> }) {
  const { cancel } = useNarration().open.file;
  const takenSec = (Date.now() - sinceMs) / 1000;
  const label = t('narrate.export.running');
  useAction({ id: 'narrate.export.cancel', title: t('narrate.export.cancel'), run: cancel });
  return (
    <WorkLine label={label} part={part} cancelLabel={t('narrate.export.cancel')} onCancel={cancel}>
      {label} · {t('narrate.progress.percent', { percent: Math.floor(part * 100) })}
      {part > 0 && part < 1 && takenSec >= leastPaceSec && ` · ${t('narrate.progress.left', { left: formatTime((takenSec / part) * (1 - part)) })}`}
    </WorkLine>
  );
}
