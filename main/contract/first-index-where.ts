/**
 * Binary search: all items from the result on have the property, which none before it has.
 * @returns the number of items if none has it
 */
export function firstIndexWhere<Item>(
  items: readonly Item[],
  hasProperty: (item: Item) => boolean,
): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (hasProperty(items[middle] as Item)) high = middle;
    else low = middle + 1;
  }
  return low;
}
