/** A change of one thing ends nothing else that the older text says. */
import { describe, expect, test } from 'vitest';
import { decide } from '#core/extraction/compare-with-known.ts';
import { statementsOf } from '#core/extraction/statement.ts';
import { outdatedMemories, type ComparedMemory } from '#core/recall/outdated/outdated-memories.ts';
import { recallTerms } from '#core/recall/words/recall-terms.ts';
import { createTextAnalyzer } from '#providers/lexical/analyzer.ts';

const analyzer = createTextAnalyzer();

function memory(id: string, content: string, at: number): ComparedMemory {
  const terms = () => new Set(recallTerms(analyzer, content));
  return { id, content, at, layer: 'user', trust: 'stated', terms };
}

/** Returns how much of an older memory a newer one ends: all, some or none of it. */
function endedOf(older: string, newer: string): string {
  const known = [memory('older', older, 1), memory('newer', newer, 2)];
  const { outdated, inPart } = outdatedMemories(known);
  if (!outdated.has('older')) return 'none';
  return inPart.has('older') ? 'some' : 'all';
}

/** Returns the ids of memories that the statements of a newer text replace. */
function replacedBy(older: string, newer: string): readonly string[] {
  const known = { id: 'older', content: older, at: 1, live: true, sources: ['a'], speaker: null };
  return statementsOf(newer).flatMap((statement) => {
    const decision = decide({ statement, source: 'b', at: 2, speaker: null }, [known], []);
    return decision.event === 'SUPERSEDE' ? decision.supersedes : [];
  });
}

const IN_PART: readonly (readonly [string, string])[] = [
  ['I live in Bristol, and my daughter Mia goes to Elm School.', 'I moved to Bath.'],
  ['I live in Bristol with my partner Joel.', 'I moved to Bath.'],
  ['My manager is Dana, and I got a MacBook.', 'My manager is Marcus now.'],
  ['I work at Acme and live in Rome.', 'I moved to Oslo.'],
  ['Eva is allergic to peanuts and kiwis.', 'Eva is no longer allergic to kiwis.'],
  ['Eva is allergic to kiwis and peanuts.', 'Eva is no longer allergic to kiwis.'],
  ['I have tickets for Hamilton on Friday and for the opera on Sunday.', 'Hamilton was canceled.'],
  ['I have a Honda and a bike.', 'I sold the Honda.'],
  ['Eva subscribes to the Times and to the Guardian.', 'Eva canceled the Guardian.'],
  ['Eva speaks French and German.', 'Eva no longer speaks German at work.'],
  ['Eva likes hiking and jazz.', "Eva doesn't like jazz anymore."],
  ['Eva drinks coffee in the morning and tea at night.', 'Eva no longer drinks coffee.'],
  ['Backups run at 02:00 and are kept for 30 days.', 'Backups run at 04:00 now.'],
  ['Ich wohne in Köln, und meine Tochter geht in die Elm-Schule.', 'Ich bin nach Bonn gezogen.'],
  ['Ich bin gegen Erdnüsse und Kiwis allergisch.', 'Gegen Kiwis bin ich nicht mehr allergisch.'],
  [
    'Ich muss die Steuererklärung abgeben und den Klempner anrufen.',
    'Die Steuererklärung ist raus.',
  ],
  ['Me llamo Lucía y vivo en Valencia.', 'Me he mudado a Cádiz.'],
  ['Soy alérgica a los cacahuetes y a los kiwis.', 'Ya no soy alérgica a los kiwis.'],
  ['我对花生和猕猴桃过敏。', '我对猕猴桃不过敏了。'],
  ['我住在上海，女儿在实验小学读三年级。', '我搬到杭州了。'],
];

const IN_ALL: readonly (readonly [string, string])[] = [
  ['I live in Bristol.', 'I moved to Bath.'],
  ['My manager is Dana.', 'My manager is Marcus now.'],
  ['Ann and Ben live in Graz.', 'Ann and Ben live in Linz now.'],
  ['The meeting with Tom and Ana is on May 4.', 'The meeting with Tom and Ana moves to June 1.'],
  ['The office is open Monday and Tuesday.', 'The office is open Wednesday and Friday now.'],
  ['Joel has cello lessons on Mondays.', "Joel's cello lessons are on Wednesdays now."],
  ['Ich trinke gern Tee.', 'Ich trinke keinen Tee mehr.'],
  ['我住在上海。', '我上周搬到杭州了。'],
  ['我住在上海。', '我去年搬去杭州了。'],
];

const BESIDE: readonly (readonly [string, string])[] = [
  ['Eva has a meeting with Tom on Mondays.', 'Eva canceled the meeting with Lea on Tuesday.'],
  ['Ich habe montags ein Treffen mit Tom.', 'Das Treffen mit Lea ist jetzt am Dienstag.'],
  ['Open task: Ann must call the bank.', 'Open tasks: Ann must cancel the gym and feed Nimbus.'],
  ['My boss is Tom.', 'Her boss is Lea now.'],
  ['Ben must renew his passport.', 'Ann renewed her passport.'],
  ['Ben must call the bank.', "The bank called about Ann's loan."],
  [
    'Goal of commerce for 2026: 250,000 orders and at most 0.8% of them refunded.',
    'From November 30, 2026 every event names the parcel and no longer only the order.',
  ],
  ['我住在上海。', '我朋友上周搬到杭州了。'],
  ['我住在上海。', '我下周要搬到杭州。'],
];

describe('a newer memory', () => {
  test.each(IN_PART)('marks "%s" in part after "%s", and replaces it nowhere', (older, newer) => {
    expect(endedOf(older, newer)).toBe('some');
    expect(replacedBy(older, newer)).toEqual([]);
  });

  test.each(IN_ALL)('marks all of "%s" after "%s"', (older, newer) => {
    expect(endedOf(older, newer)).toBe('all');
  });

  test.each(BESIDE)('ends nothing of "%s" by "%s"', (older, newer) => {
    expect(endedOf(older, newer)).toBe('none');
  });
});
