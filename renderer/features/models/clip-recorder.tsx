// A clip spoken for a trial: recorded in the page, kept nowhere else.

import { CircleStop, Mic } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { microphoneTrouble, type SoundInput } from '../../bridge/sound.ts';
import { openSound } from '../../bridge/sound-input.ts';
import { wavOf } from '../../bridge/wav.ts';
import { formatTime } from '../../messages/format.ts';
import { t } from '../../messages/messages.ts';
import { usePreferences } from '../../stores/preferences.ts';
import { showRecording } from '../../stores/recording.ts';
import { Button } from '../../ui/button.tsx';

const sampleRateHz = 16_000;
/** A trial of minutes is none. */
const mostSec = 120;
const leastSec = 0.3;

type Recording = { input: SoundInput | undefined; isEnding: boolean; blocks: Int16Array[]; samples: number };

export function ClipRecorder({ onClip }: { onClip: (file: File) => void }) {
  const [sec, setSec] = useState<number>();
  const [error, setError] = useState<string>();
  const recording = useRef<Recording>(undefined);

  useEffect(
    () => () => {
      void recording.current?.input?.close();
      recording.current = undefined;
      showRecording('trial', undefined);
    },
    [],
  );

  useEffect(() => {
    showRecording('trial', sec === undefined ? undefined : { phase: 'recording', sec, path: '/models', stop });
  });

  async function start(): Promise<void> {
    if (recording.current !== undefined) return;
    const own: Recording = { input: undefined, isEnding: false, blocks: [], samples: 0 };
    recording.current = own;
    setError(undefined);
    setSec(0);
    const { recordFrom } = usePreferences.getState();
    try {
      own.input = await openSound(recordFrom.kind === 'microphone' ? recordFrom : { kind: 'microphone' }, {
        onBlock(samples) {
          if (recording.current !== own) return;
          own.blocks.push(samples);
          own.samples += samples.length;
          setSec(Math.floor(own.samples / sampleRateHz));
          if (own.samples >= mostSec * sampleRateHz) void stop();
        },
        onLost: () => void stop(),
      });
      // The page was left meanwhile, or it was stopped before it began.
      if (recording.current !== own) await own.input.close();
    } catch (failure) {
      if (recording.current !== own) return;
      recording.current = undefined;
      setSec(undefined);
      setError(t(`models.clip.trouble.${microphoneTrouble(failure)}`));
    }
  }

  async function stop(): Promise<void> {
    const own = recording.current;
    if (own === undefined || own.isEnding) return;
    own.isEnding = true;
    // What is on its way belongs to it.
    await own.input?.close();
    if (recording.current !== own) return;
    recording.current = undefined;
    setSec(undefined);
    if (own.input === undefined) return;
    if (own.samples < leastSec * sampleRateHz) setError(t('models.clip.short'));
    else onClip(new File([wavOf(own.blocks)], `${t('models.clip.recorded', { time: formatTime(own.samples / sampleRateHz) })}.wav`, { type: 'audio/wav' }));
  }

  return (
    <>
      {sec === undefined ? (
        <Button icon={<Mic aria-hidden />} onClick={() => void start()}>
          {t('models.clip.record')}
        </Button>
      ) : (
        <Button icon={<CircleStop aria-hidden />} onClick={() => void stop()}>
          {t('models.clip.stop', { time: formatTime(sec) })}
        </Button>
      )}
      {error !== undefined && (
        <span className="field-error" role="alert">
          {error}
        </span>
      )}
    </>
  );
}
