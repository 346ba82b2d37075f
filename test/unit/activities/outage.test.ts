/** A model endpoint that is away: what is served meanwhile, what it costs, and when it is over. */
import { expect, test } from 'vitest';
import { VarveError, type ErrorCode, type ErrorDetails } from '#core/errors.ts';
import { MINUTE_MS, SECOND_MS } from '#test/conformance/samples.ts';
import { openFixture, type Fixture } from './refresh-fixture.ts';

const TENANT = 'acme';
const SCOPES = 50;
/** Claims of one look of a run; more than 50 scopes need. */
const ROUNDS_MAX = 20;

/** In which one change makes a scope of a project due, and its batch window closes. */
const INTERVAL_MS = 40 * MINUTE_MS;

const project = (projectId: string) => ({ layer: 'project', identifiers: { projectId } });

/** What the tick does every quarter of a minute: rounds until nothing is due. */
async function look(fixture: Fixture): Promise<void> {
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    if ((await fixture.round(TENANT, 'Due')).batches === 0) return;
  }
}

async function freshScopes({ parts }: Fixture): Promise<number> {
  const summaries = await parts.store.summaries.list(TENANT, SCOPES + 1);
  return summaries.filter(({ model }) => model === 'metered').length;
}

test.each<[ErrorCode, ErrorDetails]>([
  ['PROVIDER_ERROR', { status: 500 }],
  ['PROVIDER_ERROR', { sent: false }],
  ['UNAUTHENTICATED', { status: 401 }],
])(
  'an outage of ten minutes with %s %j charges nothing, and two minutes later all is fresh',
  async (code, details) => {
    let isDown = true;
    await using fixture = await openFixture({
      answer: (_, extractive) =>
        isDown ? Promise.reject(new VarveError(code, 'Away.', { details })) : extractive(),
    });
    for (let n = 0; n < SCOPES; n += 1) {
      await fixture.add(TENANT, `The shop ${String(n)} grows.`, project(`p-${String(n)}`));
    }
    fixture.advance(INTERVAL_MS);
    for (let passed = 0; passed < 10 * MINUTE_MS; passed += 15 * SECOND_MS) {
      await look(fixture);
      fixture.advance(15 * SECOND_MS);
    }
    const down = await fixture.parts.store.scopes.list(TENANT, SCOPES + 1);
    expect(down.filter(({ deadLetter }) => deadLetter !== null)).toEqual([]);
    // What is served meanwhile is made without a model, and is said to be stale.
    const served = await fixture.parts.store.summaries.list(TENANT, SCOPES + 1);
    expect(served.map(({ model }) => model)).toEqual(Array(SCOPES).fill('extractive'));
    const spent = (await fixture.parts.store.accounts.entries(TENANT, { limit: 1_000 })).filter(
      ({ outcome }) => outcome !== 'NotCharged',
    );
    expect(spent).toEqual([]);

    isDown = false;
    for (let passed = 0; passed < 2 * MINUTE_MS; passed += 15 * SECOND_MS) {
      await look(fixture);
      fixture.advance(15 * SECOND_MS);
    }
    expect(await freshScopes(fixture)).toBe(SCOPES);
  },
);

test('the first scope that is answered after a long outage ends the wait of all others', async () => {
  let isDown = true;
  await using fixture = await openFixture({
    answer: (_, extractive) =>
      isDown
        ? Promise.reject(new VarveError('PROVIDER_ERROR', 'Away.', { details: { sent: false } }))
        : extractive(),
  });
  await fixture.add(TENANT, 'The first shop grows.', project('first'));
  fixture.advance(INTERVAL_MS);
  await look(fixture);
  fixture.advance(200 * MINUTE_MS);
  await look(fixture);
  await fixture.add(TENANT, 'The second shop grows.', project('second'));
  fixture.advance(INTERVAL_MS);
  await look(fixture);
  isDown = false;
  // The second waits a minute, the first ten.
  fixture.advance(MINUTE_MS);
  await look(fixture);
  expect(await freshScopes(fixture)).toBe(2);
});
