/** How often the operator looks again at what nothing tells it of. */

/** As often as other operators look at outside state (MongoDB's: 15 min, at least 5). */
export const CLUSTER_RESYNC_MS = 15 * 60_000;
/** Up to a fifth later, so that tenants which were settled together are not looked at together. */
export const RESYNC_SPREAD = 0.2;

/** How long a change in a folder can go unseen when the system loses the hint of it. */
export const FOLDER_RESYNC_MS = 30_000;

/** Between two runs for a tenant with more scopes than one run sees to; others have a turn. */
export const GO_ON_AFTER_MS = 1_000;
