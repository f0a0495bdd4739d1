// Display name of a caller: a key's name, or a word for one of the app's own callers.

/** `names` has the existing keys; a revoked key is shown by its id. */
export function callerName<Own extends string>(
  key: string,
  names: ReadonlyMap<string, string>,
  nameOfOwn: (own: Own) => string,
  own: readonly Own[],
): string {
  const ownCaller = own.find((each) => each === key);
  return ownCaller === undefined ? (names.get(key) ?? key) : nameOfOwn(ownCaller);
}
