/** A stale summary is logged once for each of its states. */
import { expect, test } from 'vitest';
import { StaleNotes } from '#api/stale-summary-log.ts';
import type { Scope } from '#core/scope.ts';

const scope = (scopeId: string): Scope => ({ tenant: 'acme', layer: 'user', scopeId });

test('a state is news once, and again after a different state or a fresh summary', () => {
  const notes = new StaleNotes();
  const told = ['changed', 'changed', 'deleted', 'changed', null, 'changed', 'changed'].map(
    (state) => notes.recordIfChanged(scope('ann'), state),
  );
  expect(told).toEqual([true, false, true, true, false, true, false]);
});

test('scopes are tracked separately, and only a limited number is remembered', () => {
  const notes = new StaleNotes(2);
  const tell = (id: string) => notes.recordIfChanged(scope(id), 'changed');
  expect(['ann', 'bob', 'ann', 'cid', 'cid', 'bob', 'ann'].map(tell)).toEqual([
    true,
    true,
    false,
    true,
    false,
    false,
    true,
  ]);
});
