/**
 * Step of a dream by time: takes the block out of the way of which its model made nothing, again
 * and again, so that the rest of a subject's memory goes on and its cost stays bounded.
 *
 * Flow: the diary says so → the block is marked → its count is forgotten.
 * Guarantees: each write is found again by the block's id, so after a death at any point a
 * repetition ends in the same state; the block itself stays where it is.
 */
import { asideDiary } from '#core/dreams/aside-diary.ts';
import { isFresh } from '#core/dreams/daily-files.ts';
import { blockToSetAside } from '#core/dreams/refused-answers.ts';
import { SET_ASIDE_AT } from '#core/records/document.ts';
import type { DreamPorts } from './dream-ports.ts';
import type { DreamSubject } from './dream-subject.ts';
import { changeSubject } from './subject-change.ts';

type Ports = Pick<DreamPorts, 'store' | 'platform' | 'calendar'>;

/** Whether one was. @throws VarveError CONFLICT, retryable, where others write all the time */
export async function setAside(ports: Ports, { record, rules }: DreamSubject): Promise<boolean> {
  const place = blockToSetAside(record);
  if (place === null) return false;
  const { documents } = ports.store;
  const { tenant, subject } = record;
  const block = await documents.get({ tenant, subject, ...place });
  const isUnread = block !== null && isFresh(block);
  if (isUnread) {
    const { newId, clock } = ports.platform;
    const at = clock();
    const day = ports.calendar.dayOf(at, rules.timeZone);
    const ids = { block: newId(), line: newId() };
    await documents.append(asideDiary(block, { ids, day, at }), record);
    await documents.markDreamed(record, [place], SET_ASIDE_AT);
  }
  await changeSubject(ports, record, (current) =>
    current.refused?.dreamId === record.refused?.dreamId ? { ...current, refused: null } : null,
  );
  return isUnread;
}
