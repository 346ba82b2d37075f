/**
 * What of an installation this process has seen as it should be, so that what it has to make anew
 * is known as drift: somebody deleted it. What nobody has seen yet is made for the first time.
 */
import type { InstallationOutcome } from '#core/ports/installation-schedules.ts';

/** How much another had changed or deleted. */
export interface MendedDrift {
  readonly schedules: number;
  readonly searchAttributes: number;
}

export interface InstallationDrift {
  /** To be told of every look, in their order. */
  look(outcome: InstallationOutcome): MendedDrift;
}

export function createInstallationDrift(): InstallationDrift {
  /** Ids; no more than are declared. */
  const kept = new Set<string>();
  let areAttributesKept = false;
  return {
    look({ schedules, searchAttributes: { added, conflicting } }) {
      const mended = schedules.filter(
        (outcome) =>
          (outcome.kind === 'Mended' && outcome.cause === 'Drift') ||
          (outcome.kind === 'Created' && kept.has(outcome.schedule)),
      );
      for (const { kind, schedule } of schedules) {
        if (kind === 'Foreign') kept.delete(schedule);
        else kept.add(schedule);
      }
      const missing = areAttributesKept ? added.length : 0;
      // Of those that could not be looked at, none is known to have been there.
      areAttributesKept = conflicting.length === 0;
      return { schedules: mended.length, searchAttributes: missing };
    },
  };
}
