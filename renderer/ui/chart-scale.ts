// Round values for an axis.

/** From 0 to at least `max`, in steps of 1, 2 or 5 times a power of ten; at most `maxSteps` steps. */
export function axisTicks(max: number, maxSteps: number): number[] {
  if (!(max > 0)) return [0, 1];
  const minStep = max / maxSteps;
  const power = 10 ** Math.floor(Math.log10(minStep));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= minStep) ?? 10) * power;
  return Array.from({ length: Math.ceil(max / step - 1e-9) + 1 }, (_, index) =>
    Number((index * step).toPrecision(12)),
  );
}

/** Every n-th value, so that at most `count` remain, including the last. */
export function everyNth<Value>(values: readonly Value[], count: number): Value[] {
  const step = Math.max(1, Math.ceil(values.length / count));
  return values.filter((_, index) => (values.length - 1 - index) % step === 0);
}
