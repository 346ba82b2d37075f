/** Which DeepDream covers a subject, and in which time zone the subject's days begin. */
import { DEFAULT_DREAM } from '../policy/policy-defaults.ts';
import { ALL_SUBJECTS, type DreamPolicy } from '../records/dream-policy.ts';
import type { Subject } from '../subject.ts';

/**
 * One that names the subject itself stands above one of all of its kind; of several alike the first
 * by name. Undefined where none covers it.
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

/** The time zone of a subject: of the DeepDream that covers it, else UTC. */
export function zoneOfSubject(dreams: readonly DreamPolicy[], subject: Subject): string {
  return dreamOfSubject(dreams, subject)?.timeZone ?? DEFAULT_DREAM.timeZone;
}

function idsOf({ agents, users }: DreamPolicy, { kind }: Subject): readonly string[] {
  return kind === 'agent' ? agents : users;
}
