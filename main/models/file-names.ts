// Names of files that others chose (a repository, an archive), before they become paths on this machine.

const maxDepth = 6;
const maxLength = 200;
/** Valid on Windows, macOS and Linux. */
// oxlint-disable-next-line no-control-regex
const segmentPattern = /^[^\u0000-\u001f\u007f/\\:*?"<>|]*[^\u0000-\u001f\u007f/\\:*?"<>|. ]$/;
/** What follows a dot does not count: `nul.txt` is a device, too. */
const reservedPattern = /^(con|prn|aux|nul|(com|lpt)[\d¹²³]|con(in|out)\$) *(\.|$)/i;

/** Whether Windows takes the name of a file or folder for a device. */
export const isReservedName = (name: string): boolean => reservedPattern.test(name);

/** Whether `name` is a relative path with slashes that stays below its folder on every system. */
export function isSafeFileName(name: string): boolean {
  const segments = name.split("/");
  return (
    name.length <= maxLength &&
    segments.length <= maxDepth &&
    segments.every((segment) => segmentPattern.test(segment) && !isReservedName(segment))
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
  return id === "" || isReservedName(id) ? `model-${id}` : id;
}

/**
 * The id of a model of a repository that is not in the catalog. Names of the hub have no `--`, nor do other ids: so
 * different repositories have different ids, but for upper and lower case, in which the hub's names never differ alone.
 * @param repository `owner/name`
 */
export function toRepositoryId(repository: string): string {
  const id = repository.replace("/", "--").toLowerCase();
  return isReservedName(id) ? `model-${id}` : id;
}
