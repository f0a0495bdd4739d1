// Engine processes that are killed, stopped and grown beyond their limit every few seconds while an app serves: every
// innocent request is answered right, and no process outlives the app, also where the app itself is killed.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { engineProcesses, isRunning, seesProcesses } from '../../support/engine-processes.ts';
import { type HearsayProcess, startHearsay } from '../../support/hearsay-process.ts';
import { packedPictures } from '../../support/hostile-media.ts';
import { type Row, skipped } from '../../support/report.ts';
import { encodeSound, noise } from '../../support/sounds.ts';
import { plainWords, soundFile, spokenSamples } from '../../support/test-data.ts';
import type { EndureContext, EndurePart } from '../part.ts';

const sentence = 'The ferry leaves at nine, whatever the weather may be.';
const workers = 2;
const area = 'children';
/** A person or a system does this now and then; a request that would lose its process six times has no chance. */
const betweenMs = 3000;
const shortRounds = 3;
const goneWithinSec = 10;

export const part: EndurePart = { defaultMinutes: 3, run };

async function run(context: EndureContext): Promise<Row[]> {
  if (!seesProcesses) return [{ ...skipped(area, 'requests answered wrong', 'engine processes are seen on Linux alone'), goal: { max: 0 } }];
  const { scratchDir } = context;
  const sound = await readFile(await soundFile(join(scratchDir, 'ferry.mp3'), await spokenSamples(sentence)));
  const bomb = packedPictures(16, Buffer.from(encodeSound(noise(0.5, 48_000), 48_000, 'mp3')));
  const app = await startHearsay({ workers });
  const served = await whileHarmed(app, { sound, bomb }, context);
  const orphans = await killedApp(app, sound);
  return [
    { area, what: 'requests answered', value: served.count, unit: '', goal: { min: 1 }, note: `${served.harms} processes harmed` },
    { area, what: 'innocent requests answered wrong', value: served.wrong.length, unit: '', goal: { max: 0 }, note: served.wrong.slice(0, 3).join('; ') },
    { area, what: 'bombs answered with anything but 400', value: served.survived, unit: '', goal: { max: 0 } },
    { area, what: `processes alive ${goneWithinSec} s after the app was killed, one of them stopped`, value: orphans.length, unit: '', goal: { max: 0 } },
  ];
}

type Served = { count: number; harms: number; survived: number; wrong: string[] };

async function whileHarmed(app: HearsayProcess, { sound, bomb }: { sound: Uint8Array; bomb: Uint8Array }, { random, minutes, isShort, log }: EndureContext): Promise<Served> {
  const served: Served = { count: 0, harms: 0, survived: 0, wrong: [] };
  const expected = plainWords(await hear(app, sound).then(({ text }) => text));
  const over = new AbortController();
  const client = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const { status, text } = await hear(app, sound);
      served.count += 1;
      if (status !== 200 || plainWords(text) !== expected) served.wrong.push(`${status} ${text.slice(0, 100)}`);
    }
  };
  const clients = Array.from({ length: workers + 1 }, client);
  const endMs = performance.now() + minutes * 60_000;
  for (let round = 0; isShort ? round < shortRounds : performance.now() < endMs; round += 1) {
    await pause(betweenMs * (0.5 + random()));
    const pids = engineProcesses(app.pid);
    const pid = pids[Math.floor(random() * pids.length)];
    const harm = round % 3;
    if (harm === 2) served.survived += (await hear(app, bomb)).status === 400 ? 0 : 1;
    else if (pid !== undefined) signal(pid, harm === 0 ? 'SIGKILL' : 'SIGSTOP');
    served.harms += 1;
    if (round % 10 === 9) log(`${served.harms} harmed, ${served.count} requests, ${served.wrong.length} wrong`);
  }
  over.abort();
  await Promise.all(clients);
  return served;
}

async function hear(app: HearsayProcess, sound: Uint8Array): Promise<{ status: number; text: string }> {
  const form = new FormData();
  form.set('model', 'moonshine-base');
  form.set('response_format', 'text');
  form.set('file', new Blob([new Uint8Array(sound)]), 'sound.mp3');
  const answer = await app.ask('/audio/transcriptions', { method: 'POST', body: form });
  return { status: answer.status, text: await answer.text() };
}

/** @returns processes that are still there */
async function killedApp(app: HearsayProcess, sound: Uint8Array): Promise<number[]> {
  // All of them at work.
  const last = Array.from({ length: workers * 2 }, () => hear(app, sound).catch(() => undefined));
  while (engineProcesses(app.pid).length < workers) await pause(20);
  const pids = engineProcesses(app.pid);
  signal(pids[0] ?? 0, 'SIGSTOP');
  process.kill(app.pid, 'SIGKILL');
  const untilMs = performance.now() + goneWithinSec * 1000;
  while (pids.some(isRunning) && performance.now() < untilMs) await pause(50);
  const left = pids.filter(isRunning);
  for (const pid of left) signal(pid, 'SIGKILL');
  await Promise.all(last);
  await app.close();
  return left;
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    if (pid > 0) process.kill(pid, name);
  } catch {
    // It has ended meanwhile.
  }
}
