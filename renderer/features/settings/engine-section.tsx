// How much of this machine the engines may take, and for how long. Takes effect at the next start.

import { useState } from 'react';
import { t } from '../../messages/messages.ts';
import { changePreferences, usePreferences } from '../../stores/preferences.ts';
import { TextField } from '../../ui/field.tsx';
import { Section } from '../../ui/page-header.tsx';
import { parseWhole } from './whole-number.ts';

type WholeFieldProps = { label: string; help: string; value: number | undefined; min: number; max: number; onChange: (value: number | undefined) => void };

export function EngineSection() {
  const { workers, idleSec } = usePreferences();
  return (
    <Section title={t('settings.engines')} about={t('settings.engines.about')}>
      <div className="settings-columns">
        <WholeField label={t('settings.workers')} help={t('settings.workers.help')} value={workers} min={1} max={64} onChange={(next) => void changePreferences({ workers: next })} />
        <WholeField label={t('settings.idle')} help={t('settings.idle.help')} value={idleSec} min={1} max={86_400} onChange={(next) => void changePreferences({ idleSec: next })} />
      </div>
    </Section>
  );
}

/** Kept when the field is left or on Enter; empty is what is usual. */
function WholeField({ label, help, value, min, max, onChange }: WholeFieldProps) {
  const [typed, setTyped] = useState<string>();
  const shown = typed ?? String(value ?? '');
  const parsed = parseWhole(shown, min, max);
  const take = () => {
    if (typed === undefined || parsed === 'wrong') return;
    if (parsed !== value) onChange(parsed);
    setTyped(undefined);
  };
  return (
    <TextField
      label={label}
      help={help}
      inputMode="numeric"
      placeholder={t('settings.usual')}
      value={shown}
      error={parsed === 'wrong' ? t('settings.whole', { min, max }) : undefined}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onBlur={take}
      onKeyDown={(event) => {
        if (event.key === 'Enter') take();
        if (event.key === 'Escape') setTyped(undefined);
      }}
    />
  );
}
