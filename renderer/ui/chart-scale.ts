// Round figures for an axis.

/** From 0 to at least `most`, in steps of 1, 2 or 5 times a power of ten; `about` steps at most. */
export function ticksTo(most: number, about: number): number[] {
  if (!(most > 0)) return [0, 1];
  const rough = most / about;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power;
  return Array.from({ length: Math.ceil(most / step - 1e-9) + 1 }, (_, index) =>
    Number((index * step).toPrecision(12)),
  );
}

/** Every so many that at most `count` are left, the last one among them. */
export function everyNth<Value>(values: readonly Value[], count: number): Value[] {
  const step = Math.max(1, Math.ceil(values.length / count));
  return values.filter((_, index) => (values.length - 1 - index) % step === 0);
}
