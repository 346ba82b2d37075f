/** A change ends what says the old value, not what says the new one already. */
import { describe, expect, test } from 'vitest';
import { decide } from '#core/extraction/compare-with-known.ts';
import { statementsOf } from '#core/extraction/statement.ts';
import { outdatedMemories } from '#core/recall/outdated/outdated-memories.ts';
import { recallTerms } from '#core/recall/words/recall-terms.ts';
import { createTextAnalyzer } from '#providers/lexical/analyzer.ts';

const analyzer = createTextAnalyzer();

function isMarked(older: string, newer: string): boolean {
  const said = { layer: 'user', trust: 'stated' } as const;
  const memories = [older, newer].map((content, at) => ({
    ...said,
    ...{ id: String(at), at, content, terms: () => new Set(recallTerms(analyzer, content)) },
  }));
  return outdatedMemories(memories).outdated.has('0');
}

/** Returns what becomes of the statements of a newer text. */
function eventsOf(older: string, newer: string): readonly string[] {
  const said = { id: 'older', content: older, at: 1, live: true, sources: ['a'], speaker: null };
  return statementsOf(newer).map(
    (statement) => decide({ statement, source: 'b', at: 2, speaker: null }, [said], []).event,
  );
}

/** By change: what says the old value, and what says the new one already. */
const CHANGES: readonly (readonly [change: string, old: string, now: string])[] = [
  ['The launch moves from May 17 to June 1.', 'The launch is on May 17', 'The launch is on 1 June'],
  ['The launch moves to June 1.', 'The launch is on May 17', 'The launch is on 2027-06-01'],
  ['We moved the launch from May 17 to June 1.', 'We launch on May 17', 'We launch on June 1st'],
  ['The rent was raised from 1,200 to 1,350.', 'The rent is 1,200.', 'The rent is 1350.'],
  ['The standup moved from Monday to Thursday', 'The standup is on Monday', 'It is Thursdays'],
  ['The standup moved from 9 to 10', 'The standup is at 9', 'The standup is at 10:00'],
  ['I moved from Lyon to Porto', 'I live in Lyon, an hour from Porto', 'I live in Porto'],
  ['We switched from LastPass to Bitwarden', 'We use LastPass', 'We use Bitwarden'],
  ['The offsite moves from Lisbon to Porto', 'The offsite is in Lisbon', 'The offsite is in Porto'],
  ['I drink tea now instead of coffee', 'I drink coffee', 'I drink tea'],
  [
    'They moved my visit from Thursday to Friday',
    'My visit is on Thursday',
    'My visit is on Friday',
  ],
  [
    'Der Start verschiebt sich vom 17. November auf den 1. Dezember',
    'Der Start ist am 17. November',
    'Der Start ist am 1. Dezember',
  ],
  ['Wir sind von Postgres auf MySQL umgestiegen', 'Wir nutzen Postgres', 'Wir nutzen MySQL'],
  [
    'Der Chor probt jetzt dienstags statt montags',
    'Der Chor probt montags',
    'Der Chor probt dienstags',
  ],
  ['Ich bin von Bonn nach Köln gezogen', 'Ich wohne in Bonn', 'Ich wohne in Köln'],
  ['El inicio pasa del 7 de mayo al 1 de junio', 'El inicio es el 7 de mayo', 'Es el 1 de junio'],
  ['Me mudé de Lugo a Oporto', 'Vivo en Lugo', 'Vivo en Oporto'],
  ['我从大理搬到长沙了。', '我住在大理。', '我住在长沙。'],
];

describe('a change from one value to another', () => {
  test.each(CHANGES)('"%s" ends "%s", not "%s"', (change, old, now) => {
    expect(isMarked(now, change)).toBe(false);
    expect(eventsOf(now, change)).not.toContain('SUPERSEDE');
    expect(isMarked(old, change)).toBe(true);
  });

  test.each([
    [
      'The launch is planned for June 1. It was moved from May 17 after the incident.',
      'The launch moves from May 17 to June 1.',
    ],
    ['The launch is on June 1, originally May 17.', 'The launch moves from May 17 to June 1.'],
    ['The job no longer runs on Postgres, it runs on SQLite.', 'It moves from Postgres to SQLite.'],
    [
      'Der Start ist am 1. Juni, ursprünglich 17. Mai.',
      'Der Start verschiebt sich vom 17. Mai auf den 1. Juni.',
    ],
    [
      'El inicio es el 1 de junio, antes el 7 de mayo.',
      'El inicio pasa del 7 de mayo al 1 de junio',
    ],
    ['发布定在6月1日，原定5月17日。', '发布从5月17日推迟到6月1日。'],
  ])('"%s" gives the new value of "%s" beside the old one', (older, newer) => {
    expect(isMarked(older, newer)).toBe(false);
    expect(eventsOf(older, newer)).not.toContain('SUPERSEDE');
  });

  test.each([
    ['The launch moved from May 17 to June 1.', 'The launch moves from June 1 to June 15.'],
    ['The standup moved from Monday to Tuesday.', 'The standup moves from Tuesday to Monday.'],
    ['I live in Lyon, an hour from Porto.', 'I moved to Porto.'],
    ['The standup is on Monday at 9.', 'The standup moves to Tuesday at 9.'],
    ['The rent is 1,350 euros.', 'The rent was cut from 1,350 to 1,200 euros.'],
    ['I drink tea and coffee.', 'I drink tea now instead of coffee.'],
    ['We decided to use Redis.', 'We dropped the plan to use Redis.'],
    ['I live in York.', 'I moved to York in May. I moved from York to Leeds.'],
  ])('"%s" is outdated by "%s", although it has words of the new value', (older, newer) => {
    expect(isMarked(older, newer)).toBe(true);
  });
});
