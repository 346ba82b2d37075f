/** How much of a scope a search reads into memory, and when it stops. */

export interface SearchBounds {
  /** A scope with at most this many memories is kept in memory; a larger one is queried. */
  readonly wholeMax: number;
  /** Memories compared exactly, if conditions or terms leave no more than this. */
  readonly candidatesMax: number;
  /** Memories whose vectors are compared page by page; a search of more is refused. */
  readonly scannedMax: number;
  /** Memories fetched at once; with 1,536 dimensions a page is about 3 MB. */
  readonly pageMax: number;
  /** Bytes of all indexes that one process keeps. */
  readonly keptBytesMax: number;
}

/** 5,000 memories with 384 dimensions are about 15 MB, fetched in less than a second. */
export const SEARCH_BOUNDS: SearchBounds = {
  wholeMax: 5_000,
  candidatesMax: 2_000,
  scannedMax: 500_000,
  pageMax: 500,
  keptBytesMax: 256 * 1024 * 1024,
};
