// The recording that is going on: lamp, time, level, pause and stop. Text appears below while one speaks.

import './record-bar.css';
import { Pause, Play, Square } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { formatTime } from '../../../messages/format.ts';
import { t } from '../../../messages/messages.ts';
import { Button } from '../../../ui/button.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { onLevel, pauseRecording, resumeRecording, stopRecording, useRecorder } from './recorder.ts';

/** More than this not on disk is worth a word. */
const muchUnsentSec = 5;

export function RecordBar() {
  const { phase, recordedSec, unsentSec, message } = useRecorder();
  const isPaused = phase === 'paused';
  const isEnding = phase === 'ending';
  return (
    <section className="record-bar" aria-label={t('transcribe.record.bar')}>
      <div className="record-bar-line">
        <span className="record-bar-lamp" data-phase={phase} />
        <span className="record-bar-time figures">{formatTime(recordedSec)}</span>
        <span className="record-bar-state" role="status">
          {t(isEnding ? 'transcribe.record.ending' : isPaused ? 'transcribe.record.paused' : 'transcribe.record.running')}
        </span>
        <LevelMeter />
        <Button icon={isPaused ? <Play aria-hidden /> : <Pause aria-hidden />} disabledReason={isEnding ? t('transcribe.record.ending') : undefined} onClick={isPaused ? resumeRecording : pauseRecording}>
          {isPaused ? t('transcribe.record.resume') : t('transcribe.record.pause')}
        </Button>
        <Button kind="primary" icon={<Square aria-hidden />} isBusy={isEnding} onClick={() => void stopRecording()}>
          {t('transcribe.record.stop')}
        </Button>
      </div>
      {message !== undefined && <Notice tone="warn">{message}</Notice>}
      {message === undefined && unsentSec > muchUnsentSec && <Notice>{t('transcribe.record.behind', { sec: Math.round(unsentSec) })}</Notice>}
    </section>
  );
}

/** Loudness on a line from −60 dB to 0, drawn without rendering anything again. */
function LevelMeter() {
  const meter = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let shown = 0;
    return onLevel((peak) => {
      const now = Math.max(0, 1 + (20 * Math.log10(Math.max(peak, 1e-6))) / 60);
      // Up at once, down slowly: a meter that can be read.
      shown = Math.max(now, shown * 0.85);
      meter.current?.style.setProperty('--level', shown.toFixed(3));
    });
  }, []);
  return (
    <div className="record-bar-level" aria-hidden ref={meter}>
      <span />
    </div>
  );
}
