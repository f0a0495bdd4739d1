// Who asked: a key by its name, one of the app's own callers by a word for it.

/** `names` are of the keys there are; a key that was revoked is told by its id. */
export function callerName<Own extends string>(
  key: string,
  names: ReadonlyMap<string, string>,
  nameOfOwn: (own: Own) => string,
  own: readonly Own[],
): string {
  const ownCaller = own.find((each) => each === key);
  return ownCaller === undefined ? (names.get(key) ?? key) : nameOfOwn(ownCaller);
}
