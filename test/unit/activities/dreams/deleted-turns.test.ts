/** A dream after a deletion: no version of MEMORY.md contains what was deleted. */
import { describe, expect, test } from 'vitest';
import type { SessionRecord } from '#core/records/session.ts';
import { citationOf } from '#core/memory-files/turn-citation.ts';
import { ANN, blockOf, lineOf } from '#test/conformance/document-samples.ts';
import { dreamPolicy, OSLO, ROSES, TEA } from '#test/conformance/dream-samples.ts';
import { DAY_MS, rulesAt, turnOf } from '#test/conformance/samples.ts';
import { ANN_ID, openDreamFixture, TENANT, type DreamFixture } from './dream-fixture.ts';

const SESSION = 'session-1';

/** A block of the day, one line for each text, as the flush of a session writes it. */
async function flushed(fixture: DreamFixture, texts: readonly string[]): Promise<void> {
  const { store, platform, calendar } = fixture.ports;
  const at = fixture.now();
  const turns = texts.map((content) => ({
    ...turnOf(TENANT, 1),
    sessionId: SESSION,
    id: content,
    content,
    at,
  }));
  await store.turns.append(turns, rulesAt(at));
  await store.sessions.change(TENANT, SESSION, (known) => known ?? session(at));
  const lines = turns.map((turn) => {
    const sources = [citationOf(turn)];
    return lineOf(0, { id: platform.newId(), heading: null, text: turn.content, sources, at });
  });
  const path = `memory/${calendar.dayOf(at, 'UTC')}.md`;
  const block = blockOf(TENANT, 0, { subject: ANN, path, id: platform.newId(), lines, at });
  await store.documents.append(block, { subjectId: ANN_ID });
}

function session(at: number): SessionRecord {
  return {
    tenant: TENANT,
    sessionId: SESSION,
    owner: 'local',
    opener: ANN,
    identifiers: { userId: 'ann' },
    firstAt: at,
    lastAt: at,
    endedAt: null,
    flushedTo: 0,
    flush: null,
    tags: [],
    version: 1,
  };
}

async function deleteTurn({ ports, now }: DreamFixture, id: string): Promise<void> {
  const place = { tenant: TENANT, sessionId: SESSION };
  await ports.store.turns.delete(place, [id], rulesAt(now()));
}

const texts = (sources: readonly { text: string }[] = []) => sources.map(({ text }) => text);

describe('a dream after a turn was deleted', () => {
  test('reads what remains of a block and writes nothing of the deleted turn', async () => {
    await using fixture = await openDreamFixture();
    await flushed(fixture, [TEA, OSLO]);
    await deleteTurn(fixture, TEA);
    expect(await fixture.dream()).toMatchObject({ outcome: 'Dreamed', added: 1 });
    expect(texts(fixture.questions[0]?.daily)).toEqual([OSLO]);
    expect(await fixture.memory()).toEqual([OSLO]);
  });

  test('has nothing new if the whole block is gone', async () => {
    await using fixture = await openDreamFixture();
    await flushed(fixture, [TEA]);
    await deleteTurn(fixture, TEA);
    expect(await fixture.dream()).toMatchObject({ outcome: 'NothingNew' });
    expect(fixture.questions).toEqual([]);
    expect(await fixture.subject()).toMatchObject({ hasNew: false });
  });

  test('reads no line of MEMORY.md that cites the turn, and drops it from the next version', async () => {
    await using fixture = await openDreamFixture();
    await flushed(fixture, [TEA, OSLO]);
    await fixture.dream();
    expect(await fixture.memory()).toEqual([TEA, OSLO]);
    await deleteTurn(fixture, TEA);
    fixture.advance(DAY_MS);
    await flushed(fixture, [ROSES]);
    await fixture.dream();
    expect(texts(fixture.questions[1]?.memory)).toEqual([OSLO]);
    expect(await fixture.memory()).toEqual([OSLO, ROSES]);
  });

  test('outdates a proposal that waited for approval, and the next proposal has the rest', async () => {
    await using fixture = await openDreamFixture();
    await fixture.declare({ dreams: [dreamPolicy({ approval: 'Required' })] });
    await flushed(fixture, [TEA, OSLO]);
    expect(await fixture.dream()).toMatchObject({ outcome: 'Waiting' });
    await deleteTurn(fixture, TEA);
    const { proposals } = fixture.ports.store;
    const [waiting] = await proposals.list(TENANT, { state: 'Waiting', limit: 9 });
    if (waiting === undefined) throw new Error('No proposal waits.');
    await proposals.put({ ...waiting, state: 'Approved', version: waiting.version + 1 });
    const approved = { tenant: TENANT, proposalId: waiting.id };
    expect(await fixture.activities().applyProposal(approved)).toEqual({ state: 'Outdated' });
    expect(await fixture.memory()).toEqual([]);
    expect(await fixture.subject()).toMatchObject({ hasNew: true });
    await fixture.declare();
    expect(await fixture.dream()).toMatchObject({ outcome: 'Dreamed', added: 1 });
    expect(await fixture.memory()).toEqual([OSLO]);
  });
});
