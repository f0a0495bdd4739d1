// Where sentences are while the script is being typed: the app reads it again a moment later, until then those that
// were not touched move along with the text. And how two people's changes of one script come together. Pure.

/** One stretch of `before` that another text took the place of, in UTF-16 units. */
export type Edit = { readonly start: number; readonly oldEnd: number; readonly newEnd: number };

/** What stands between the common beginning and the common end; undefined where nothing changed. */
export function editBetween(before: string, after: string): Edit | undefined {
  if (before === after) return undefined;
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before.charCodeAt(start) === after.charCodeAt(start)) start += 1;
  let same = 0;
  while (
    same < shorter - start &&
    before.charCodeAt(before.length - 1 - same) === after.charCodeAt(after.length - 1 - same)
  )
    same += 1;
  return { start, oldEnd: before.length - same, newEnd: after.length - same };
}

export type Placed = { readonly start: number; readonly end: number };

/** Places in `before` as places in `after`; what was changed within is left out. */
export function placedAfter<Place extends Placed>(
  places: readonly Place[],
  before: string,
  after: string,
): readonly Place[] {
  const edit = editBetween(before, after);
  if (edit === undefined) return places;
  const by = edit.newEnd - edit.oldEnd;
  const moved: Place[] = [];
  for (const place of places) {
    if (place.end <= edit.start) moved.push(place);
    else if (place.start >= edit.oldEnd)
      moved.push({ ...place, start: place.start + by, end: place.end + by });
  }
  return moved;
}

/** Both changes of `base` in one text; undefined where they touch the same place. */
export function merged(base: string, ours: string, theirs: string): string | undefined {
  const own = editBetween(base, ours);
  const other = editBetween(base, theirs);
  if (own === undefined || ours === theirs) return theirs;
  if (other === undefined) return ours;
  if (own.oldEnd < other.start)
    return (
      ours.slice(0, own.newEnd) + base.slice(own.oldEnd, other.start) + theirs.slice(other.start)
    );
  if (other.oldEnd < own.start)
    return (
      theirs.slice(0, other.newEnd) + base.slice(other.oldEnd, own.start) + ours.slice(own.start)
    );
  return undefined;
}

/** Index of the place that holds `at`, else of the last one before it, else the first; −1 where there is none. Places are in order. */
export function placeAt(places: readonly Placed[], at: number): number {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle]?.start ?? Infinity) <= at) low = middle + 1;
    else high = middle;
  }
  return Math.max(low - 1, Math.min(0, places.length - 1));
}
