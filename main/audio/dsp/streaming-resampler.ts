// Converts the sample rate of a stream by a ratio of small integers, in chunks of any length: a windowed sinc filter,
// of which only the phases that are needed are computed (polyphase).

export type StreamingResampler = { process(samples: Float32Array): Float32Array };

/** Zero crossings of the sinc on each side of its centre. */
const zeroCrossings = 16;
/** Share of the lower Nyquist frequency that passes. */
const passband = 0.92;

export function createStreamingResampler(fromHz: number, toHz: number): StreamingResampler {
  if (fromHz === toHz) return { process: (samples) => samples };
  const divisor = greatestDivisor(fromHz, toHz);
  const [up, down] = [toHz / divisor, fromHz / divisor];
  const phases = createPhases(up, down);
  const length = phases[0]?.length ?? 0;
  /** The input that the next output needs, from its first sample. */
  let pending = new Float32Array(length >> 1);
  /** Position of the next output in steps of 1/`up` of an input sample, from the start of `pending`. */
  let position = 0;
  return {
    process(samples) {
      const input = new Float32Array(pending.length + samples.length);
      input.set(pending);
      input.set(samples, pending.length);
      const lastStart = input.length - length;
      const count = Math.max(0, Math.floor((lastStart * up + up - 1 - position) / down) + 1);
      const output = new Float32Array(count);
      for (let index = 0; index < count; index += 1) {
        const start = Math.floor(position / up);
        const taps = phases[position % up] as Float32Array;
        let sum = 0;
        for (let tap = 0; tap < length; tap += 1)
          sum += (taps[tap] as number) * (input[start + tap] as number);
        output[index] = sum;
        position += down;
      }
      const used = Math.min(Math.floor(position / up), input.length);
      pending = input.slice(used);
      position -= used * up;
      return output;
    },
  };
}

const greatestDivisor = (one: number, other: number): number =>
  other === 0 ? one : greatestDivisor(other, one % other);

/** For each position of an output between two input samples: the weights of the input around it. */
function createPhases(up: number, down: number): Float32Array[] {
  const cutoff = passband * Math.min(1, up / down);
  const half = Math.ceil(zeroCrossings / cutoff);
  return Array.from({ length: up }, (_, phase) => {
    const taps = Float32Array.from({ length: 2 * half }, (__, tap) => {
      const distance = tap - half + 1 - phase / up;
      const angle = Math.PI * distance * cutoff;
      const window = 0.5 + 0.5 * Math.cos((Math.PI * distance) / (half + 1));
      return (angle === 0 ? 1 : Math.sin(angle) / angle) * window;
    });
    const sum = taps.reduce((total, tap) => total + tap, 0);
    return taps.map((tap) => tap / sum);
  });
}
