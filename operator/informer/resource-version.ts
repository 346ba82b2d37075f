/**
 * Versions of objects. Since Kubernetes 1.35 clients may compare those of one kind: they are
 * decimal integers of up to 128 bits (reference: "API Concepts", Resource versions; KEP-5504). A
 * server behind another scheme gives other texts; those are only compared for equality.
 */
const COMPARABLE = /^[1-9]\d*$/u;

/**
 * Below 0 where `a` is older, above where it is newer; null where the two can't be compared. By
 * length and digits: as numbers they would lose their last digits beyond 2^53.
 */
export function compareVersions(a: string | undefined, b: string | undefined): number | null {
  if (a === undefined || b === undefined || !COMPARABLE.test(a) || !COMPARABLE.test(b)) return null;
  if (a.length !== b.length) return a.length - b.length;
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** The newer one; where they can't be compared, the one heard last. */
export function newerVersion(last: string, heard: string | undefined): string {
  if (heard === undefined || heard === '') return last;
  const order = compareVersions(heard, last);
  return order === null || order > 0 ? heard : last;
}
