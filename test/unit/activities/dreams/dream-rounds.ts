/** Rounds of dreams on a fixture: declared, due at three in the morning of its first day. */
import type { DreamPolicy } from '#core/records/dream-policy.ts';
import type { DreamSchedule } from '#core/records/dream-schedule.ts';
import { subjectIdOf, subjectOf } from '#test/conformance/document-samples.ts';
import { newSchedule } from '#test/conformance/dream-samples.ts';
import { HOUR_MS, NOW } from '#test/conformance/samples.ts';
import { TENANT, type DreamFixture } from './dream-fixture.ts';

export const THREE = NOW + 3 * HOUR_MS;

export async function declareRounds(
  fixture: DreamFixture,
  dreams: readonly DreamPolicy[],
): Promise<void> {
  await fixture.declare({ dreams: [...dreams] });
  const { dreamSchedules } = fixture.opened.store;
  for (const dream of dreams) await dreamSchedules.put(newSchedule(TENANT, dream, THREE));
}

/** Subjects with something new, and one besides that has nothing. */
export async function addSubjects(
  { opened }: DreamFixture,
  subjects: readonly string[],
): Promise<void> {
  const records = opened.store.subjects;
  for (const [n, subject] of subjects.entries()) {
    await records.put(subjectOf(TENANT, { subject, subjectId: subjectIdOf(n) }));
  }
  const none = { subject: 'user/zoe', subjectId: subjectIdOf(999), hasNew: false };
  await records.put(subjectOf(TENANT, none));
}

export async function scheduleOf(
  { opened }: DreamFixture,
  name = 'nightly',
): Promise<DreamSchedule> {
  const schedule = await opened.store.dreamSchedules.get(TENANT, name);
  if (schedule === null) throw new Error('There is no schedule.');
  return schedule;
}
