// Settings and flags of removed features. Scripts and stored data may still contain them: they are accepted without
// effect, and the log or the command line says so.

const noSharing = "a file is transcribed by one channel";
const reasons: Readonly<Record<string, string>> = {
  shareLongFiles: noSharing,
  sharesLongFiles: noSharing,
  "share-long-files": noSharing,
  "shares-long-files": noSharing,
};

/** @returns what to say about a setting or flag that has no effect any more; undefined for any other name */
export const removalNote = (name: string): string | undefined =>
  Object.hasOwn(reasons, name) ? `'${name}' has no effect any more: ${reasons[name]}` : undefined;
