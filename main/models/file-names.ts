// Names of files that others chose (a repository, an archive), before they become paths on this machine.

const maxDepth = 6;
const maxLength = 200;
/** Valid on Windows, macOS and Linux. */
// oxlint-disable-next-line no-control-regex
const segmentPattern = /^[^\u0000-\u001f\u007f/\\:*?"<>|]*[^\u0000-\u001f\u007f/\\:*?"<>|. ]$/;
const reservedPattern = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/** Whether `name` is a relative path with slashes that stays below its folder on every system. */
export function isSafeFileName(name: string): boolean {
  const segments = name.split("/");
  return (
    name.length <= maxLength &&
    segments.length <= maxDepth &&
    segments.every((segment) => segmentPattern.test(segment) && !reservedPattern.test(segment))
  );
}

/** A model id made from a name that others chose: lower case letters, digits, dots and hyphens. */
export function toModelId(name: string): string {
  const id = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9.]+/g, "-")
    .replaceAll(/\.{2,}/g, ".")
    .replaceAll(/^[-.]+|[-.]+$/g, "")
    .slice(0, 80)
    .replace(/[-.]+$/, "");
  return id === "" || reservedPattern.test(id) ? `model-${id}` : id;
}
