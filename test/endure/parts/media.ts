// Hostile media: bombs, and files of every format that were damaged at random, sent to a whole app. Each may be refused;
// none may take much memory or time, or bring the app down.

import type { Container } from '../../../main/audio/formats.ts';
import { engineProcesses, seesProcesses, watchPeaks } from '../../support/child-processes.ts';
import { startHearsay } from '../../support/hearsay-process.ts';
import { lyingFragments, lyingMp4, mutate, packedPictures, slowWav } from '../../support/hostile-media.ts';
import type { Row } from '../../support/report.ts';
import { encodeSound, noise } from '../../support/sounds.ts';
import type { EndureContext, EndurePart } from '../part.ts';

const containers: readonly Container[] = ['mp3', 'mp4', 'mpeg', 'mpga', 'm4a', 'wav', 'webm', 'flac', 'ogg', 'opus'];
const filesPerMinute = 2500;
const shortCount = 40;
const atOnce = 6;

export const part: EndurePart = { defaultMinutes: 4, run };

async function run({ random, minutes, isShort, log }: EndureContext): Promise<Row[]> {
  const app = await startHearsay({ workers: 2, env: { HEARSAY_MORE_FORMATS: '1' } });
  const peaks = watchPeaks(app.pid);
  const statuses = new Map<number | string, number>();
  let slowestMs = 0;
  let count = 0;

  async function send(file: Uint8Array): Promise<void> {
    const form = new FormData();
    form.set('model', 'whisper-1');
    form.set('file', new Blob([new Uint8Array(file)]), 'hostile');
    const startMs = performance.now();
    const status = await app.ask('/audio/transcriptions', { method: 'POST', body: form, signal: AbortSignal.timeout(120_000) }).then(async (answer) => (await answer.arrayBuffer(), answer.status), (error: Error) => `${error.message}: ${String(error.cause ?? '')}`);
    slowestMs = Math.max(slowestMs, performance.now() - startMs);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    count += 1;
    if (count % 1000 === 0) log(`${count} files`);
  }

  try {
    for (const bomb of bombs(isShort)) await send(bomb);
    const sounds = containers.map((container) => encodeSound(noise(0.5, 48_000), 48_000, container));
    const wanted = isShort ? shortCount : Math.round(filesPerMinute * minutes);
    // Made one after the other, so that the seed alone decides what they are.
    let next = 0;
    const worker = async (): Promise<void> => {
      while (next < wanted) {
        const file = mutate(sounds[next % sounds.length] ?? new Uint8Array(1), random);
        next += 1;
        await send(file);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
    const told = [...statuses].map(([status, times]) => `${status}: ${times}`).join(', ');
    log(told);
    // Sound that is whole is served as before.
    await send(encodeSound(noise(0.5, 48_000), 48_000, 'mp3'));
    const unexpected = [...statuses].reduce((sum, [status, times]) => sum + (typeof status === 'number' && (status < 500 || status === 507) ? 0 : times), 0);
    return [
      { area: 'media', what: 'files sent', value: count, unit: '', goal: { min: wanted }, note: told },
      { area: 'media', what: 'most memory of a child', value: seesProcesses ? peaks.maxMb() : undefined, unit: 'MB', goal: { max: 1000 } },
      { area: 'media', what: 'slowest answer', value: slowestMs / 1000, unit: 's', goal: { max: 30 } },
      { area: 'media', what: 'requests lost or answered with a failure of the app', value: unexpected, unit: '', goal: { max: 0 } },
      { area: 'media', what: 'children at the end, at most', value: seesProcesses ? engineProcesses(app.pid).length : undefined, unit: '', goal: { max: 2 } },
    ];
  } finally {
    peaks.close();
    await app.close();
  }
}

function bombs(isShort: boolean): Buffer[] {
  const million = 1e6;
  const mp3 = Buffer.from(encodeSound(noise(0.5, 48_000), 48_000, 'mp3'));
  const edit = [100_000 * 1024, 0] as const;
  return [
    lyingMp4([{ samples: 80 * million }]),
    lyingMp4([{ samples: 40 * million }, { samples: 40 * million }]),
    lyingMp4([{ samples: 80 * million, sampleBytes: 0 }]),
    lyingMp4([{ samples: 4000 * million, sampleTicks: 1, isPcm: true, chunks: 20 }]),
    lyingMp4([{ samples: 100_000, edits: Array.from({ length: 1000 }, () => edit) }], Buffer.alloc(100_000)),
    lyingFragments(million, 60),
    slowWav(86_400),
    slowWav(90_000),
    packedPictures(isShort ? 16 : 64, mp3),
  ];
}
