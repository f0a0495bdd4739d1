// How another take of a sentence differs: a little faster or slower, and in the style of a shorter or longer sentence,
// which changes the melody. The same for the same number.

export type TakeVariation = {
  /** Factor of the speed. */
  readonly speed: number;
  /** Added to the number of phonemes that a style is for. */
  readonly styleShift: number;
};

const speeds = [1, 1.04, 0.97, 1.02, 0.95];
const styleShiftStep = 12;

/** @param take 0 for the default */
export function takeVariation(take: number): TakeVariation {
  // Consecutive takes vary in opposite directions, so that their difference is audible.
  const sign = take % 2 === 1 ? 1 : -1;
  return {
    speed: speeds[take % speeds.length] ?? 1,
    styleShift: take === 0 ? 0 : sign * styleShiftStep * (1 + (take % 4)),
  };
}
