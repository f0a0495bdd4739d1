import { expect, it } from 'vitest';
import { createFrameFft, fftSize } from '../../../../../main/engines/tts/hibari/frame-fft.ts';
import { createRandom } from '../../../../../main/engines/tts/hibari/noise.ts';

it('agrees with the definition of the discrete Fourier transform', () => {
  const random = createRandom(1);
  const re = Float64Array.from({ length: fftSize }, () => random() - 0.5);
  const im = Float64Array.from({ length: fftSize }, () => random() - 0.5);
  const fft = createFrameFft();
  fft.re.set(re);
  fft.im.set(im);
  fft.forward();
  for (const k of [0, 1, 2, 17, 240, 599, 600, 601, 1199]) {
    let sumRe = 0;
    let sumIm = 0;
    for (let n = 0; n < fftSize; n++) {
      const angle = (-2 * Math.PI * ((k * n) % fftSize)) / fftSize;
      const [a, b] = [re[n] ?? 0, im[n] ?? 0];
      sumRe += a * Math.cos(angle) - b * Math.sin(angle);
      sumIm += a * Math.sin(angle) + b * Math.cos(angle);
    }
    expect(fft.re[k]).toBeCloseTo(sumRe, 9);
    expect(fft.im[k]).toBeCloseTo(sumIm, 9);
  }
});
