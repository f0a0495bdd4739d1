import { expect, it } from "vitest";
import { createFrameFft } from "../../../../main/audio/dsp/frame-fft.ts";
import { createRandom } from "../../../../main/engines/tts/hibari/noise.ts";

// Each radix alone, odd and even numbers of passes, and the sizes in use.
it.each([1, 2, 3, 4, 5, 30, 40, 400, 1200])(
  "matches the definition of the discrete Fourier transform for %i points",
  (size) => {
    const random = createRandom(1);
    const re = Float64Array.from({ length: size }, () => random() - 0.5);
    const im = Float64Array.from({ length: size }, () => random() - 0.5);
    const fft = createFrameFft(size);
    fft.re.set(re);
    fft.im.set(im);
    fft.forward();
    for (let k = 0; k < size; k++) {
      let sumRe = 0;
      let sumIm = 0;
      for (let n = 0; n < size; n++) {
        const angle = (-2 * Math.PI * ((k * n) % size)) / size;
        const [a, b] = [re[n] ?? 0, im[n] ?? 0];
        sumRe += a * Math.cos(angle) - b * Math.sin(angle);
        sumIm += a * Math.sin(angle) + b * Math.cos(angle);
      }
      if (Math.hypot((fft.re[k] ?? NaN) - sumRe, (fft.im[k] ?? NaN) - sumIm) < 1e-9) continue;
      expect.fail(`bin ${k} is ${fft.re[k]} + ${fft.im[k]}i, not ${sumRe} + ${sumIm}i`);
    }
  },
);

it("rejects a size that it has no radix for", () => {
  for (const size of [0, 7, 14, 22, 2.5, -4, Number.NaN])
    expect(() => createFrameFft(size)).toThrow(RangeError);
});
