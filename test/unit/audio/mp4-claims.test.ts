// Files whose tables lie are told from files that are what they say, before a decoder sees them.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { openDecoder } from '../../../main/audio/decode.ts';
import { areMp4ClaimsPlausible } from '../../../main/audio/mp4-claims.ts';
import { box, lyingFragments, lyingMp4, u32 } from '../../support/hostile-media.ts';
import { encodeMedia, encodeSound, tone } from '../../support/sounds.ts';
import { openFolder } from '../../support/test-data.ts';

const folder = await openFolder();
afterAll(() => folder.remove());
let saved = 0;
function save(bytes: Uint8Array): string {
  const path = join(folder.path, `${(saved += 1)}.m4a`);
  writeFileSync(path, bytes);
  return path;
}

const million = 1_000_000;
const oneEdit = [100_000 * 1024, 0] as const;

it.each<[string, () => Uint8Array]>([
  ['80 million samples of a byte in 600 bytes', () => lyingMp4([{ samples: 80 * million }])],
  ['two tracks that add up to them', () => lyingMp4([{ samples: 40 * million }, { samples: 40 * million }])],
  ['a table of sizes that is not there', () => lyingMp4([{ samples: 80 * million, sampleBytes: 0 }])],
  ['chunks of PCM of four billion samples', () => lyingMp4([{ samples: 4000 * million, sampleTicks: 1, isPcm: true, chunks: 20 }])],
  ['a thousand edits that each play all of it', () => lyingMp4([{ samples: 100_000, edits: Array.from({ length: 1000 }, () => oneEdit) }], Buffer.alloc(100_000))],
  ['fragments of samples without a byte', () => lyingFragments(million, 60)],
  ['tables in a box that is in no track', () => Buffer.concat([lyingMp4([{ samples: 1 }]), box('moov', box('stsz', u32(0, 1, 80 * million)))])],
  ['a packed header', () => Buffer.concat([lyingMp4([{ samples: 1 }]), box('moov', box('cmov', Buffer.alloc(20)))])],
])('refuses %s', (_, make) => {
  const path = save(make());
  expect(areMp4ClaimsPlausible(path)).toBe(false);
  const before = process.memoryUsage.rss();
  expect(() => openDecoder(path, { sampleRateHz: 16_000 })).toThrow(expect.objectContaining({ key: 'undecodable_audio' }));
  expect(process.memoryUsage.rss() - before).toBeLessThan(100 * million);
});

it('takes what encoders write, whole, in fragments, with edits and with PCM', () => {
  const samples = tone(440, 3, 48_000);
  const audio = { codec: 'aac', samples, sampleRateHz: 48_000 } as const;
  const files = [
    encodeSound(samples, 48_000, 'm4a'),
    encodeSound(samples, 48_000, 'mp4'),
    encodeMedia({ muxer: 'mp4', audio, options: { movflags: 'frag_keyframe+empty_moov' } }),
    encodeMedia({ muxer: 'mp4', audio, options: { movflags: 'faststart' } }),
    encodeMedia({ muxer: 'mov', audio: { ...audio, codec: 'pcm_s16le' } }),
    encodeMedia({ muxer: 'mov', audio: { ...audio, codec: 'alac' } }),
  ];
  for (const bytes of files) expect(areMp4ClaimsPlausible(save(bytes))).toBe(true);
});

it('has nothing to say of other files, nor of beginnings of files', () => {
  for (const bytes of [encodeSound(tone(440, 1, 48_000), 48_000, 'mp3'), Buffer.alloc(0), Buffer.from('ftyp'), lyingMp4([{ samples: 1 }]).subarray(0, 30)]) {
    expect(areMp4ClaimsPlausible(save(bytes))).toBe(true);
  }
});
