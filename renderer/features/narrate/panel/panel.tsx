// The right panel: how it is spoken, how words are pronounced, how the reading came out; below, what there is of it.

import './panel.css';
import { useMemo } from 'react';
import { formatCost, formatCount, formatLanguage, formatTime } from '../../../messages/format.ts';
import { t } from '../../../messages/messages.ts';
import { Registered, useAction } from '../../../stores/actions.ts';
import { useModels } from '../../../stores/models.ts';
import { Notice } from '../../../ui/notice.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import type { PanelTab } from '../open-narrations.ts';
import { useNarration, useScript, useView } from '../use-narration.ts';
import { CheckTab, useCheck } from './check-tab.tsx';
import { figuresOf } from './figures.ts';
import { VoiceTab } from './voice-tab.tsx';
import { WordsTab } from './words-tab.tsx';

const tabs = ['voice', 'words', 'check'] as const satisfies readonly PanelTab[];

export function Panel() {
  const { open } = useNarration();
  const tab = useView((view) => view.tab);
  const check = useCheck();
  const show = (next: PanelTab): void => open.view.setState({ tab: next });
  useAction({
    id: 'narrate.check',
    title: t('narrate.check'),
    disabledReason: check.reason,
    run: () => {
      show('check');
      check.start();
    },
  });
  return (
    <aside className="narrate-panel" aria-label={t('narrate.panel')}>
      <Segmented
        label={t('narrate.panel')}
        value={tab}
        choices={tabs.map((value) => ({ value, label: t(`narrate.panel.${value}`) }))}
        onChange={show}
      />
      {tabs.map((value) => (
        <Registered key={value} id={`narrate.panel.${value}`} title={t('shell.choice', { name: t('narrate.panel'), value: t(`narrate.panel.${value}`) })} run={() => show(value)} />
      ))}
      <div className="narrate-panel-body">
        {tab === 'voice' && <VoiceTab />}
        {tab === 'words' && <WordsTab />}
        {tab === 'check' && <CheckTab check={check} />}
      </div>
      <FiguresList />
    </aside>
  );
}

function FiguresList() {
  const sentences = useScript((state) => state.sentences);
  const options = useScript((state) => state.options);
  const unspeakable = useScript((state) => state.unspeakable);
  const otherLanguage = useScript((state) => state.otherLanguage);
  const staleCount = useScript((state) => state.stale.size);
  const model = useModels(({ models }) => models.find(({ id }) => id === options.model));
  const figures = useMemo(() => figuresOf(sentences, options.speed, model), [sentences, options.speed, model]);
  const rows: readonly (readonly [string, string])[] = [
    [t('narrate.figures.characters'), formatCount(figures.characters)],
    [t('narrate.figures.sentences'), figures.chapters > 0 ? t('narrate.figures.with-chapters', { sentences: figures.sentences, chapters: figures.chapters }) : formatCount(figures.sentences)],
    [t('narrate.figures.made'), t('narrate.figures.of', { made: figures.made, all: figures.sentences })],
    [t('narrate.figures.length'), figures.isGuessed ? t('narrate.figures.about', { time: formatTime(figures.durationSec) }) : formatTime(figures.durationSec)],
    [t('narrate.figures.cost'), costText(figures.restUsd, model?.channel ?? 'local')],
  ];
  return (
    <div className="narrate-figures">
      {otherLanguage !== undefined && <Notice tone="warn">{t('narrate.other-language', { language: formatLanguage(otherLanguage) })}</Notice>}
      {unspeakable.length > 0 && <Notice tone="warn">{t('narrate.unspeakable', { words: unspeakable.slice(0, mostShown).join(', '), count: unspeakable.length })}</Notice>}
      {staleCount > 0 && <Notice>{t('narrate.stale', { count: staleCount })}</Notice>}
      <dl>
        {rows.map(([name, figure]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd className="figures">{figure}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

const mostShown = 6;

function costText(usd: number | undefined, channel: string): string {
  if (channel === 'local') return t('narrate.figures.free');
  return usd === undefined ? t('narrate.figures.unpriced') : formatCost(usd);
}
