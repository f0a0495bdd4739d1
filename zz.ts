import { writeFileSync } from 'node:fs';
import { clipsOf, longRecording } from './test/support/recordings.ts';
import { wavFile } from './test/support/sounds.ts';
import { wordErrors, totalErrors } from './test/support/word-error-rate.ts';
import { appHere } from './test/bench/app-here.ts';
const here = await appHere();
const hear = async (path: string, language?: string, model = 'whisper-1', task = 'transcribe') => { for await (const e of here.app.transcribe({ task, model, mediaPath: path, temperature: 0, wordTimes: false, ...(language ? { language } : {}) } as any, new AbortController().signal)) if (e.type === 'done') return e.transcript; throw 1; };
const r = longRecording(clipsOf('de'), 600);
writeFileSync('/tmp/de.wav', wavFile([r.samples], 16000));
for (let i = 0; i < 2; i++) {
  const t = performance.now();
  const x = await hear('/tmp/de.wav', 'de');
  const s = (performance.now() - t) / 1000;
  const e = wordErrors(r.text, x.text);
  console.log('long de', s.toFixed(1), (r.durationSec / s).toFixed(1) + 'x', (100 * e.rate).toFixed(2), e.substituted, e.deleted, e.inserted, x.segments.length);
}
for (const l of ['de', 'fr', 'es', 'pt', 'en']) {
  for (const given of [true, false]) {
    const errs = [];
    const langs: string[] = [];
    for (const c of clipsOf(l as any)) { const x = await hear(c.path, given ? l : undefined); langs.push(x.language); errs.push(wordErrors(c.text, x.text)); }
    console.log(l, given, (100 * totalErrors(errs).rate).toFixed(2), langs.join());
  }
}
await here.close();
