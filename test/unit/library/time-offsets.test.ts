import { expect, test } from 'vitest';
import { isoTime, localTime, saidAtOf } from '#core/said-at.ts';
import { failureOf, newTenant, sharedLibrary } from './open-library.ts';

const library = sharedLibrary();
const ann = { userId: 'ann' };
/** The first of November in California, the second in UTC. */
const EVENING = '2026-11-01T20:30:00-08:00';
/** The fourth of November in Japan, the third in UTC. */
const MORNING = '2026-11-04T07:30:00+09:00';

test.each([
  [EVENING, '2026-11-01', '2026-11-02'],
  [MORNING, '2026-11-04', '2026-11-03'],
  ['2026-11-03T12:00:00Z', '2026-11-03', '2026-11-04'],
])('a turn of %s is shown under the local day of its speaker', async (at, day, other) => {
  const tenant = newTenant();
  const { varve } = library();
  const turns = [{ role: 'user', content: 'My exam is tomorrow at 9.', at }] as const;
  await varve.conversation.append({ tenant, sessionId: 's', identifiers: ann, turns: [...turns] });
  const query = 'When is my exam?';
  const { text } = await varve.context.assemble({ tenant, identifiers: ann, query });
  expect(text).toContain(day);
  expect(text).not.toContain(other);
  const { hits } = await varve.memory.search({ tenant, identifiers: ann, query });
  expect(hits.map((hit) => isoTime(hit).slice(0, 10))).toEqual([day]);
  const { messages } = await varve.conversation.messages({ tenant, sessionId: 's' });
  expect(messages.map((each) => isoTime(each))).toEqual([isoTime(saidAtOf(at))]);
});

test.each([
  [EVENING, '2026-11-01'],
  [MORNING, '2026-11-04'],
])('a memory from a message of %s is dated by the local day of its speaker', async (at, day) => {
  const tenant = newTenant();
  const { varve } = library();
  const { results } = await varve.memory.addMessages({
    tenant,
    identifiers: ann,
    messages: [{ role: 'user', content: 'My dentist appointment is next Thursday at 9.', at }],
  });
  expect(results.map(({ text }) => text)).toEqual([
    `My dentist appointment is next Thursday at 9. (as of ${day})`,
  ]);
  const memory = await varve.memory.get({ tenant, id: results[0]?.id ?? '' });
  expect(memory).toMatchObject({ validFrom: Date.parse(at), utcOffset: saidAtOf(at).utcOffset });
});

test('a memory that a caller adds is shown with the day of its offset', async () => {
  const tenant = newTenant();
  const { varve } = library();
  const content = 'The boiler was repaired today.';
  await varve.memory.add({ tenant, layer: 'user', identifiers: ann, content, at: MORNING });
  const asked = { tenant, identifiers: ann, query: 'When was the boiler repaired?' };
  expect((await varve.context.assemble(asked)).text).toContain(`${content} (as of 2026-11-04)`);
});

test.each([
  ['2026-11-04T23:30:00+09:00', 540],
  ['2026-11-04T23:30:00-03:30', -210],
  ['2026-11-04T23:30:00+00:00', undefined],
  ['2026-11-04T23:30:00Z', undefined],
])('the offset of %s survives reading and writing', (iso, utcOffset) => {
  const said = saidAtOf(iso);
  expect(said.utcOffset).toBe(utcOffset);
  expect(saidAtOf(isoTime(said))).toEqual(said);
  expect(new Date(localTime(said)).toISOString().slice(0, 16)).toBe('2026-11-04T23:30');
});

test.each([1_764_000_000, 0, -1, 99_999_999_999])(
  'a time of %d is refused as seconds, and nothing is stored',
  async (at) => {
    const tenant = newTenant();
    const { varve } = library();
    const turns = [{ role: 'user' as const, content: 'I play the oboe.', at }];
    const append = varve.conversation.append({ tenant, sessionId: 's', turns });
    const { code, message } = await failureOf(append);
    expect(code).toBe('INVALID_INPUT');
    expect(message).toContain(`turns.0.at`);
    expect(message).toContain(`${String(at)} counts seconds: multiply it by 1000`);
    expect((await varve.conversation.messages({ tenant, sessionId: 's' })).messages).toEqual([]);
  },
);

test('a time beyond the year 9999 is refused, and the error repeats it', async () => {
  const tenant = newTenant();
  const micros = 1_764_000_000_000_000;
  const fields = { layer: 'user', identifiers: ann, content: 'I play the oboe.' } as const;
  const add = library().varve.memory.add({ tenant, ...fields, at: micros });
  expect((await failureOf(add)).message).toContain(`${String(micros)} is no time of the years`);
});
