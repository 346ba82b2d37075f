/**
 * Returns the first place of a sorted list whose item is not before what is sought, by a binary
 * search; the length if there is none.
 * @param isBefore whether the item at a place is before it
 */
export function lowerBound(length: number, isBefore: (at: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
