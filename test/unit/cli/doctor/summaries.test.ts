/** What `varve doctor` says of scopes whose summary is not made. */
import { expect, test } from 'vitest';
import { summaryFindings } from '#cli/doctor/checks.ts';
import { VarveError, type ErrorCode } from '#core/errors.ts';
import { MINUTE_MS } from '#test/conformance/samples.ts';
import { openFixture } from '#test/unit/activities/refresh-fixture.ts';

const TENANT = 'acme';
const ROUNDS = 3;

test.each<[ErrorCode, string, RegExp]>([
  ['UNAUTHENTICATED', 'wrong', /1 scope waiting for a model since .* \(UNAUTHENTICATED\)/u],
  ['CORRUPT', 'wrong', /1 scope failed three times .* varve summaries dead --tenant acme/u],
])('doctor tells of a scope whose calls end with %s', async (code, state, text) => {
  await using fixture = await openFixture({
    answer: () => Promise.reject(new VarveError(code, 'It failed.')),
  });
  await fixture.add(TENANT, 'Ann lives in Oslo.');
  for (let round = 0; round < ROUNDS; round += 1) {
    await fixture.round(TENANT);
    fixture.advance(2 * MINUTE_MS);
  }
  expect(await summaryFindings(fixture.parts)).toMatchObject([
    { part: 'summaries', state, text: expect.stringMatching(text) as string },
  ]);
});

test('doctor says that no scope is held up where all are served', async () => {
  await using fixture = await openFixture({ answer: (_, extractive) => extractive() });
  await fixture.add(TENANT, 'Ann lives in Oslo.');
  await fixture.round(TENANT);
  expect(await summaryFindings(fixture.parts)).toMatchObject([{ state: 'ok' }]);
});
