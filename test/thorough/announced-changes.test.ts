/** What users announce, say of a limited time, or take back, in the sessions of a context. */
import { describe, expect, test } from 'vitest';
import { newTenant, sharedLibrary } from '#test/unit/library/open-library.ts';

const library = sharedLibrary();
const identifiers = { userId: 'ann' };
const DAY_MS = 86_400_000;
const FIRST = Date.parse('2026-10-06T09:00:00Z');
const SOON = '2026-10-20T09:00:00Z';
const LATER = '2027-04-05T09:00:00Z';

/** Says each text in a session of its own, a day after the other. */
async function told(texts: readonly string[]): Promise<string> {
  const tenant = newTenant();
  for (const [day, content] of texts.entries()) {
    const sessionId = `s${String(day)}`;
    const turns = [{ role: 'user' as const, content, at: FIRST + day * DAY_MS }];
    await library().varve.conversation.append({ tenant, identifiers, sessionId, turns });
    await library().varve.conversation.flush({ tenant, sessionId });
  }
  return tenant;
}

/** Returns which of the texts a context marks. */
async function marked(texts: readonly string[], query: string, at: string): Promise<unknown> {
  const tenant = await told(texts);
  const { text } = await library().varve.context.assemble({ tenant, identifiers, query, at });
  expect(texts.filter((each) => !text.includes(each))).toEqual([]);
  return texts.filter((each) => text.includes(`${each} (earlier)`));
}

describe('a memory', () => {
  test.each([
    ['三月一号我们搬去佛山。', []],
    ['明年春天我搬到北京。', []],
    ['下个月我搬去深圳。', []],
    ['九月一号我们搬去佛山。', ['我住在广州。']],
    ['三月一号我们搬去佛山了。', ['我住在广州。']],
    ['去年春天我搬到北京。', ['我住在广州。']],
  ])('of a home, before "%s": %j end on the day that it is said', async (change, ended) => {
    const tenant = await told(['我住在广州。', change]);
    const { memories } = await library().varve.memory.list({
      tenant,
      identifiers,
      latestOnly: false,
    });
    const over = memories.filter(({ supersededBy }) => supersededBy !== null);
    expect(over.map(({ content }) => content)).toEqual(ended);
  });
});

describe('a context', () => {
  test.each([
    ['Where do I work?', 'I work at Bosch.', 'From next month I work at Siemens.'],
    ['What is my rent?', 'My rent is 1,200 euros.', 'From January on my rent is 1,350 euros.'],
    ['Wo wohne ich?', 'Ich wohne in Köln.', 'Ab nächstem Monat wohne ich in Bonn.'],
    ['¿Dónde vivo?', 'Vivo en Madrid.', 'A partir de enero vivo en Sevilla.'],
    ['我住在哪里？', '我住在上海。', '从明年一月起我住在杭州。'],
    ['我住在哪里？', '我住在广州。', '三月一号我们搬去佛山。'],
    ['我住在哪里？', '我住在广州。', '明年春天我搬到北京。'],
    ['Where do I live?', 'I live in Leeds.', 'We are moving to York on March 1.'],
    ['Where do I work?', 'I work at Bosch.', 'In March I start at Siemens.'],
    ['Wo arbeite ich?', 'Ich arbeite bei Bosch.', 'Ab März bin ich bei Siemens.'],
    ['Wo wohne ich?', 'Ich wohne in Kassel.', 'Zum 1. März ziehen wir nach Fulda.'],
    ['¿Dónde vivo?', 'Vivo en Gijón.', 'En marzo nos mudamos a Oviedo.'],
    ['我在哪里上班？', '我在腾讯上班。', '从三月开始我去字节上班。'],
  ])('%s: "%s" is earlier only from the day of "%s"', async (query, older, newer) => {
    expect(await marked([older, newer], query, SOON)).toEqual([]);
    expect(await marked([older, newer], query, LATER)).toEqual([older]);
  });

  test.each([
    ['Where do I live?', 'I live in Leeds.', 'I live in Lisbon for two weeks in November.'],
    ['Wo wohne ich?', 'Ich wohne in Köln.', 'Diese Woche wohne ich in Bonn.'],
    ['¿Dónde vivo?', 'Vivo en Madrid.', 'Esta semana vivo en Sevilla.'],
    ['我住在哪里？', '我住在上海。', '这周我住在杭州。'],
  ])('%s: "%s" is not earlier after "%s"', async (query, older, newer) => {
    expect(await marked([older, newer], query, SOON)).toEqual([]);
  });

  test.each([
    [
      'Where do I live?',
      'I live in Leeds.',
      'I moved to York.',
      'Just kidding, I did not move, I still live in Leeds.',
    ],
    [
      'Where do I live?',
      'I live in Leeds.',
      'I moved to York.',
      'I did not move to York in the end.',
    ],
    ['Who is my boss?', 'My boss is Tom.', 'My new boss is Ines.', 'Tom is my boss again.'],
    [
      'Wo wohne ich?',
      'Ich wohne in Köln.',
      'Bin letzte Woche nach Bonn gezogen.',
      'Doch nicht Bonn, wir bleiben in Köln.',
    ],
    ['¿Dónde vivo?', 'Vivo en Madrid.', 'Me mudé a Sevilla.', 'Al final nos quedamos en Madrid.'],
    ['我住在哪里？', '我住在上海。', '我搬到了杭州。', '我没搬到杭州，还住在上海。'],
  ])('%s: "%s" holds again when "%s" is taken back', async (query, first, change, back) => {
    expect(await marked([first, change, back], query, SOON)).toEqual([change]);
  });

  test.each([
    ['Where do I work?', 'I work at Bosch.', 'I joined Siemens.', 'I quit Siemens.'],
    ['Where do I live?', 'I live in Leeds.', 'I moved to York.', 'I moved to Bath.'],
    ['Wo wohne ich?', 'Ich wohne in Köln.', 'Ich wohne in Bonn.', 'Ich wohne in Ulm.'],
    ['¿Dónde vivo?', 'Vivo en Lugo.', 'Vivo en Lima.', 'Ya no vivo en Lima.'],
    ['我住在哪里？', '我住在上海。', '我搬到了杭州。', '我搬到了苏州。'],
  ])('%s: "%s" does not hold again after "%s" and "%s"', async (query, first, change, last) => {
    expect(await marked([first, change, last], query, SOON)).toEqual([first, change]);
  });
});
