// Changes of a JSON document that say nothing of what stays: a merge patch (RFC 7396). What is not in it stays, objects
// are merged, null takes a field away, anything else replaces.

export type Fields = { readonly [name: string]: unknown };

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What `value` is after a patch. */
export function merged(value: Fields, patch: Fields): Fields {
  const after: Record<string, unknown> = { ...value };
  for (const [name, next] of Object.entries(patch)) {
    const now = after[name];
    if (next === null) delete after[name];
    else after[name] = isFields(next) ? merged(isFields(now) ? now : {}, next) : next;
  }
  return after;
}

/** The least patch that makes `to` of `from`; empty where they are the same. A field that is undefined is none. */
export function difference(from: Fields, to: Fields): Fields {
  const patch: Record<string, unknown> = {};
  for (const name of new Set([...Object.keys(from), ...Object.keys(to)])) {
    const [before, after] = [from[name], to[name]];
    if (isFields(before) && isFields(after)) {
      const inside = difference(before, after);
      if (Object.keys(inside).length > 0) patch[name] = inside;
    } else if (JSON.stringify(before) !== JSON.stringify(after)) patch[name] = after ?? null;
  }
  return patch;
}
