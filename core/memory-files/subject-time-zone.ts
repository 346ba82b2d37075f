/** Finds the DeepDream that covers a subject, and the time zone of the subject's days. */
import { DEFAULT_DREAM } from '../policy/policy-defaults.ts';
import { ALL_SUBJECTS, type DreamPolicy } from '../records/dream-policy.ts';
import type { Subject } from '../subject.ts';

/**
 * Returns the DeepDream of a subject. One that names the subject is preferred to one for all of its
 * kind; of several equal ones, the first by name. Undefined if none covers it.
 */
export function dreamOfSubject(
  dreams: readonly DreamPolicy[],
  subject: Subject,
): DreamPolicy | undefined {
  const ordered = dreams.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  return (
    ordered.find((dream) => idsOf(dream, subject).includes(subject.id)) ??
    ordered.find((dream) => idsOf(dream, subject).includes(ALL_SUBJECTS))
  );
}

/** Returns the time zone of a subject: that of the DeepDream that covers it, otherwise UTC. */
export function zoneOfSubject(dreams: readonly DreamPolicy[], subject: Subject): string {
  return dreamOfSubject(dreams, subject)?.timeZone ?? DEFAULT_DREAM.timeZone;
}

function idsOf({ agents, users }: DreamPolicy, { kind }: Subject): readonly string[] {
  return kind === 'agent' ? agents : users;
}
