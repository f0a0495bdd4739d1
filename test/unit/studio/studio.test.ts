// What the studio does by itself while it runs.

import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createMetering } from '../../../main/channels/metering.ts';
import { createRegistry } from '../../../main/channels/registry.ts';
import { createRouter } from '../../../main/channels/router.ts';
import { createPool } from '../../../main/engines/pool/pool.ts';
import { modelBundle } from '../../../main/models/store.ts';
import { createStudioEvents } from '../../../main/studio/events.ts';
import { createStudio } from '../../../main/studio/studio.ts';
import { engineModule, launcher, quietLog } from '../../support/app.ts';
import { library } from '../../support/library.ts';
import { awkwardFolder } from '../../support/test-data.ts';

const dayMs = 86_400_000;

it('ends for good what was removed thirty days ago, also in an app that runs for months', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const dataDir = await awkwardFolder();
  const database = library();
  const pool = createPool(launcher(engineModule, dataDir), { size: 1, idleMs: 1000, taskLimitMs: 1000 }, quietLog);
  const studio = createStudio({
    database,
    dataDir,
    tempDir: join(dataDir, 'tmp'),
    router: createRouter({ registry: createRegistry(() => []), routing: () => ({ aliases: {}, prefer: 'listed', shareLongFiles: false }) }),
    pool,
    metering: createMetering({ usage: { add: () => {} }, prices: () => ({}) }),
    events: createStudioEvents(),
    voiceActivity: modelBundle('silero-vad'),
    voices: () => [],
    log: quietLog,
  });
  onTestFinished(async () => {
    await studio.close();
    await pool.close();
  });
  await studio.resume();
  const { id } = studio.items.create({ kind: 'transcript', title: 'Old', source: 'file' });
  studio.items.remove(id);
  const left = () => studio.items.list({ isDeleted: true }).length;
  vi.advanceTimersByTime(29 * dayMs);
  expect(left()).toBe(1);
  vi.advanceTimersByTime(2 * dayMs);
  await expect.poll(left).toBe(0);
});
