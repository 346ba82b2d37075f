/** The lease of a claimed batch: how long its worker may keep the scopes. */

/** Longer than any activity; afterwards a lost claim is free again. */
export const BATCH_LEASE_MS = 600_000;
