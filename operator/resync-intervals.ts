/** How often the operator checks what it may not be notified of. */

/** As other operators do (MongoDB's: 15 min, at least 5). */
export const CLUSTER_RESYNC_MS = 15 * 60_000;
/** Up to a fifth later, so that tenants that were applied together are not checked together. */
export const RESYNC_SPREAD = 0.2;

/** How long a change in a folder goes unseen if the system loses its notification. */
export const FOLDER_RESYNC_MS = 30_000;

/** Pause between two runs for a tenant with more scopes than one run handles. */
export const CONTINUE_AFTER_MS = 1_000;
