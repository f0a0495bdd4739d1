// Responsiveness: a real process with a library of large texts answers /health every 50 ms while the window's calls
// work on them.

import { api, type ApiName } from '../../../main/contract/api.ts';
import { type HearsayProcess, startHearsay } from '../../support/hearsay-process.ts';
import type { Row } from '../../support/report.ts';
import type { EndureContext, EndurePart } from '../part.ts';

const everyMs = 50;
const slowMs = 100;
const maxMs = 500;
const maxLoopMs = 50;

export const part: EndurePart = {
  defaultMinutes: 3,
  async run(context) {
    const hearsay = await startHearsay({ watchesLoop: true });
    try {
      return await measured(hearsay, context);
    } finally {
      await hearsay.close();
    }
  },
};

async function measured(hearsay: HearsayProcess, { minutes, isShort, log }: EndureContext): Promise<Row[]> {
  const calls = await callsOf(hearsay, isShort ? 50_000 : 5_000_000);
  const health = pollHealth(hearsay);
  let [longestMs, longestCpuMs] = [0, 0];
  let [slowest, slowestByCpu] = ['', ''];
  await hearsay.loopDelay();
  const untilMs = performance.now() + (isShort ? 0 : minutes * 60_000);
  do {
    for (const { what, run } of calls) {
      await run();
      const delay = await hearsay.loopDelay();
      if (delay.longestCpuMs > maxLoopMs) log(`${what}: ${delay.longestCpuMs.toFixed(0)} ms of the main thread at once, ${delay.longestMs.toFixed(0)} ms by the clock`);
      if (delay.longestMs > longestMs) [longestMs, slowest] = [delay.longestMs, what];
      if (delay.longestCpuMs > longestCpuMs) [longestCpuMs, slowestByCpu] = [delay.longestCpuMs, what];
    }
  } while (performance.now() < untilMs);
  const times = await health.stop();
  const withinPercent = (100 * times.filter((ms) => ms <= slowMs).length) / times.length;
  const area = 'responsiveness';
  const byCpu: Row = { area, what: 'longest stretch of the main thread, processor time', value: longestCpuMs, unit: 'ms', goal: { max: isShort ? 4 * maxLoopMs : maxLoopMs }, note: slowestByCpu };
  // By the clock only where nothing else runs: the tests share their machine.
  if (isShort) return [byCpu];
  return [
    byCpu,
    { area, what: `/health within ${slowMs} ms`, value: withinPercent, unit: '%', goal: { min: 99.9 }, note: `${times.length} requests` },
    { area, what: 'slowest /health', value: Math.max(...times), unit: 'ms', goal: { max: maxMs } },
    { area, what: 'longest delay of the event loop', value: longestMs, unit: 'ms', goal: { max: maxLoopMs }, note: slowest },
  ];
}

type Call = { what: string; run(): Promise<unknown> };

/** All that the window asks for and that needs no provider, on a script of so many characters. */
async function callsOf(hearsay: HearsayProcess, length: number): Promise<Call[]> {
  const line = 'The quick brown fox jumps over the lazy dog, and number 12 follows. Then it rests for a while.\n\n';
  const script = `# One\n\n${line.repeat(Math.ceil(length / line.length))}`.slice(0, length);
  const options = { model: 'tts-1', voice: 'nova', speed: 1 };
  const origin = new URL(hearsay.baseUrl).origin;
  const { id } = await hearsay.app('createNarration', { title: 'Large', script, options });
  const reads = (Object.keys(api) as ApiName[]).filter((name) => api[name].method === 'GET' && !api[name].path.includes(':') && name !== 'search');
  const send = async (path: string, body: string): Promise<void> => void (await (await fetch(`${origin}${path}`, { method: 'POST', headers: { authorization: `Bearer ${hearsay.key}` }, body })).arrayBuffer());
  let edits = 0;
  return [
    ...reads.map((name) => ({ what: name, run: () => hearsay.app(name) })),
    ...['md', 'txt', 'srt'].map((ending) => ({ what: `/app/scripts, ${ending}`, run: () => send(`/app/scripts?name=a.${ending}`, script) })),
    { what: 'createNarration', run: () => hearsay.app('createNarration', { title: '', script, options }) },
    { what: 'readNarration', run: () => hearsay.app('readNarration', undefined, id) },
    {
      what: 'changeNarration',
      async run() {
        const { revision } = await hearsay.app('readNarration', undefined, id);
        await hearsay.app('changeNarration', { revision, script: `Edit ${(edits += 1)}.\n\n${script.slice(20)}`, options }, id);
      },
    },
    { what: 'search', run: () => fetch(`${origin}/app/search?q=quick%20fox`, { headers: { authorization: `Bearer ${hearsay.key}` } }).then((answer) => answer.arrayBuffer()) },
    { what: 'replace, preview', run: () => hearsay.app('replace', { find: 'fox', replaceBy: 'wolf', isCaseSensitive: false, isPreview: true }) },
    { what: 'changePronunciations', run: () => hearsay.app('changePronunciations', { entries: [{ word: 'fox', says: `fawks${(edits += 1) % 2}` }] }) },
  ];
}

function pollHealth(hearsay: HearsayProcess): { stop(): Promise<number[]> } {
  const times: number[] = [];
  const asked = new Set<Promise<void>>();
  const url = `${new URL(hearsay.baseUrl).origin}/health`;
  const ask = async (): Promise<void> => {
    const startMs = performance.now();
    await (await fetch(url)).arrayBuffer();
    times.push(performance.now() - startMs);
  };
  const timer = setInterval(() => {
    const one = ask().finally(() => asked.delete(one));
    asked.add(one);
  }, everyMs);
  return {
    async stop() {
      clearInterval(timer);
      await Promise.all(asked);
      return times;
    },
  };
}
