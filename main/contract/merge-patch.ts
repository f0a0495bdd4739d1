// JSON merge patch (RFC 7396): omitted fields stay, objects are merged, null removes a field, any other value replaces.

export type JsonObject = { readonly [name: string]: unknown };

const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns `value` with the patch applied. */
export function applyMergePatch(value: JsonObject, patch: JsonObject): JsonObject {
  const result: Record<string, unknown> = { ...value };
  for (const [name, patchValue] of Object.entries(patch)) {
    const currentValue = result[name];
    if (patchValue === null) delete result[name];
    else
      result[name] = isJsonObject(patchValue)
        ? applyMergePatch(isJsonObject(currentValue) ? currentValue : {}, patchValue)
        : patchValue;
  }
  return result;
}

/**
 * The smallest patch that turns `original` into `changed`; empty if they are equal. An undefined field counts as
 * absent.
 */
export function createMergePatch(original: JsonObject, changed: JsonObject): JsonObject {
  const patch: Record<string, unknown> = {};
  for (const name of new Set([...Object.keys(original), ...Object.keys(changed)])) {
    const [before, after] = [original[name], changed[name]];
    if (isJsonObject(before) && isJsonObject(after)) {
      const nestedPatch = createMergePatch(before, after);
      if (Object.keys(nestedPatch).length > 0) patch[name] = nestedPatch;
    } else if (JSON.stringify(before) !== JSON.stringify(after)) patch[name] = after ?? null;
  }
  return patch;
}
