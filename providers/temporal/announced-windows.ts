/**
 * The ends of windows that this process told runs of. A run needs no message about a window that
 * closes later than one it knows, so steady writes to a tenant are one message a window and not one
 * each. What another process announced is not known here, and costs one message too many.
 */

/** Tenants remembered; of one that was forgotten a run is told once more. */
const TENANTS_MAX = 10_000;

export interface AnnouncedWindows {
  /** Whether a window that closes at `closesAt` does so before every one announced that is open. */
  isSooner(tenant: string, closesAt: number, now: number): boolean;
  announced(tenant: string, closesAt: number): void;
}

/** Times are milliseconds since the epoch. */
export function announcedWindows(tenantsMax = TENANTS_MAX): AnnouncedWindows {
  const ends = new Map<string, number>();
  return {
    isSooner: (tenant, closesAt, now) => {
      const end = ends.get(tenant);
      return end === undefined || end <= now || closesAt < end;
    },
    announced: (tenant, closesAt) => {
      ends.delete(tenant);
      ends.set(tenant, closesAt);
      const [oldest] = ends.keys();
      if (ends.size > tenantsMax && oldest !== undefined) ends.delete(oldest);
    },
  };
}
