import { expect, test } from 'vitest';
import type { DreamBrief } from '#api/operations/dream.ts';
import { waitingHint } from '#cli/commands/dream.ts';

const SUBJECT = { kind: 'user', id: 'ann' } as const;
const WAITING: DreamBrief = {
  id: 'd1',
  subject: SUBJECT,
  schedule: null,
  state: 'Waiting',
  findings: ['ApprovalRequired'],
  at: 0,
  baseVersion: 0,
  added: 1,
  removed: 0,
  archived: 0,
  dropped: 0,
  readLines: 1,
  decision: null,
};

/** What the hint says where these wait, and what it asked for. */
async function hinted(timers: readonly DreamBrief[], but: string | undefined) {
  const asked: unknown[] = [];
  const list = async (input: unknown) => {
    asked.push(input);
    return { dreams: timers, nextBefore: null };
  };
  const hint = await waitingHint({ list }, { place: { tenant: 'acme' }, subject: SUBJECT, but });
  return { hint, asked };
}

test('of a subject whose proposal waits it is said, with the command', async () => {
  const { hint, asked } = await hinted([WAITING], undefined);
  expect(hint).toEqual(['A proposal waits for a person: varve dream show d1 --tenant acme']);
  expect(asked).toEqual([{ tenant: 'acme', subject: SUBJECT, state: 'Waiting', limit: 1 }]);
});

test('of what was told already, and of nothing, nothing is said', async () => {
  expect((await hinted([WAITING], 'd1')).hint).toEqual([]);
  expect((await hinted([], undefined)).hint).toEqual([]);
});
