// Finds the best position for a cut: the middle of the quietest window. Pure.

/** Length of a breath; shorter pauses occur within words. */
const quietWindowSec = 0.3;
const stepSec = 0.01;

/** The sample in the middle of the quietest window, the latest of equal ones; the end if no window fits. */
export function findQuietestSample(samples: Float32Array, sampleRateHz: number): number {
  const step = Math.round(stepSec * sampleRateHz);
  const steps = Math.round(quietWindowSec / stepSec);
  const energies = Array.from({ length: Math.floor(samples.length / step) }, (_, at) =>
    sumEnergy(samples, at * step, step),
  );
  let best = samples.length;
  let bestEnergy = Infinity;
  let sum = 0;
  for (const [at, stepEnergy] of energies.entries()) {
    sum += stepEnergy - (energies[at - steps] ?? 0);
    if (at + 1 < steps || sum > bestEnergy) continue;
    bestEnergy = sum;
    best = Math.round((at + 1 - steps / 2) * step);
  }
  return best;
}

function sumEnergy(samples: Float32Array, from: number, length: number): number {
  let sum = 0;
  for (let i = from; i < from + length; i++) sum += (samples[i] as number) ** 2;
  return sum;
}
