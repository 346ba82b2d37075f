/** Two people of one name are told apart by their relations to the speaker. */
import { describe, expect, test } from 'vitest';
import { decide } from '#core/extraction/compare-with-known.ts';
import { statementsOf } from '#core/extraction/statement.ts';
import { outdatedMemories } from '#core/recall/outdated/outdated-memories.ts';
import { recallTerms } from '#core/recall/words/recall-terms.ts';
import { createTextAnalyzer } from '#providers/lexical/analyzer.ts';

const analyzer = createTextAnalyzer();

/** Returns what becomes of the statements of a newer text. */
function eventsOf(older: string, newer: string): readonly string[] {
  const said = { id: 'older', content: older, at: 1, live: true, sources: ['a'], speaker: null };
  return statementsOf(newer).map(
    (statement) => decide({ statement, source: 'b', at: 2, speaker: null }, [said], []).event,
  );
}

function isMarked(older: string, newer: string): boolean {
  const said = { layer: 'user', trust: 'stated' } as const;
  const memories = [older, newer].map((content, at) => ({
    ...said,
    ...{ id: String(at), at, content, terms: () => new Set(recallTerms(analyzer, content)) },
  }));
  return outdatedMemories(memories).outdated.has('0');
}

describe('people of one name', () => {
  test.each([
    ['My sister Ana lives in Porto.', 'My cousin Ana lives in Braga.'],
    ['My brother Tom lives in Hamburg.', 'My colleague Tom lives in Berlin now.'],
    ['My daughter Mia is 6.', 'My niece Mia is 9.'],
    ['My sister Ana works at Siemens.', 'My friend Ana works at Bosch.'],
    ['Meine Schwester Ana wohnt in Köln.', 'Meine Cousine Ana wohnt jetzt in Bonn.'],
    ['Mi hermana Ana vive en Lugo.', 'Mi prima Ana vive ahora en Vigo.'],
  ])('with two relations, "%s" holds beside "%s"', (older, newer) => {
    expect(eventsOf(older, newer)).toEqual(['ADD']);
    expect(isMarked(older, newer)).toBe(false);
  });

  test.each([
    ['My sister Ana lives in Porto.', 'My sister Ana lives in Braga.'],
    ['My older sister Ana lives in Porto.', 'My sister Ana lives in Braga now.'],
    ['My wife Ana lives in Porto.', 'My girlfriend Ana lives in Braga.'],
    ['Meine Oma Lotte wohnt in Köln.', 'Meine Großmutter Lotte wohnt in Bonn.'],
    ['Mi jefe Luis vive en Lugo.', 'Mi jefe Luis vive ahora en Vigo.'],
  ])('with one relation, "%s" is ended by "%s"', (older, newer) => {
    expect(eventsOf(older, newer)).toEqual(['SUPERSEDE']);
    expect(isMarked(older, newer)).toBe(true);
  });
});
