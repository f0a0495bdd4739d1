import { describe, expect, it } from 'vitest';
import { everyNth, ticksTo } from '../../../../renderer/ui/chart-scale.ts';
import { keyCaps } from '../../../../renderer/ui/key-caps.ts';
import { waveColumns, waveGain } from '../../../../renderer/ui/wave-columns.ts';

describe('a chart’s axis', () => {
  it('has round figures that reach the top', () => {
    expect(ticksTo(132, 4)).toEqual([0, 50, 100, 150]);
    expect(ticksTo(0.0031, 4)).toEqual([0, 0.001, 0.002, 0.003, 0.004]);
    expect(ticksTo(100, 4)).toEqual([0, 50, 100]);
    expect(ticksTo(0, 4)).toEqual([0, 1]);
  });

  it('names the last day whatever the number', () => {
    expect(everyNth([1, 2, 3, 4, 5, 6, 7], 3)).toEqual([1, 4, 7]);
    expect(everyNth([1, 2, 3], 8)).toEqual([1, 2, 3]);
  });
});

describe('keys', () => {
  const names = { space: 'Space', enter: 'Enter', escape: 'Esc', delete: 'Del' };
  it('are written as on the keyboard at hand', () => {
    expect(keyCaps('mod+shift+z', false, names)).toEqual(['Ctrl', '⇧', 'Z']);
    expect(keyCaps('mod+k', true, names)).toEqual(['⌘', 'K']);
    expect(keyCaps('g t', false, names)).toEqual(['G', 'T']);
  });
});

describe('a wave’s columns', () => {
  it('take the least and most of their stretch', () => {
    // Two seconds: silence, then full swing in one hundredth.
    const peaks = new Uint8Array(400).fill(128);
    peaks[2 * 150] = 0;
    peaks[2 * 150 + 1] = 255;
    expect([...waveColumns(peaks, 0, 2, 4)]).toEqual([0, 0, 0, 0, 0, 0, -1, 1]);
  });

  it('are silent beyond the peaks and where there are none', () => {
    expect([...waveColumns(new Uint8Array(), 0, 10, 2)]).toEqual([0, 0, 0, 0]);
  });

  it('are drawn taller where the recording is quiet, but noise is not', () => {
    expect(waveGain(Float32Array.of(-0.2, 0.19)) * 0.2).toBeCloseTo(0.95);
    expect(waveGain(Float32Array.of(-1, 0.5))).toBe(1);
    expect(waveGain(Float32Array.of(-0.01, 0.01)) * 0.01).toBeLessThan(0.15);
    expect(waveGain(new Float32Array())).toBeLessThan(11);
  });

  it('miss nothing where there are more columns than peaks', () => {
    const peaks = Uint8Array.from([64, 192]);
    expect([...waveColumns(peaks, 0, 0.01, 3)].filter((value) => value === -0.5)).toHaveLength(3);
  });
});
