/** How much of a scope a search takes into memory, and when it stops. */

export interface SearchBounds {
  /** Memories of a scope that is kept in memory whole; a larger one is asked in its database. */
  readonly wholeMax: number;
  /** Memories that are compared exactly where conditions or terms leave no more. */
  readonly candidatesMax: number;
  /** Memories whose vectors are compared page by page; beyond it a search is refused. */
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
