/** What becomes of somebody whom a text names beside its speaker ends it in part at most. */
import { describe, expect, test } from 'vitest';
import { outdatedMemories, type ComparedMemory } from '#core/recall/outdated/outdated-memories.ts';
import { recallTerms } from '#core/recall/words/recall-terms.ts';
import { createTextAnalyzer } from '#providers/lexical/analyzer.ts';

const analyzer = createTextAnalyzer();

function isEndedWhole(older: string, newer: string): boolean {
  const known = [older, newer].map((content, at): ComparedMemory => {
    const terms = () => new Set(recallTerms(analyzer, content));
    return { id: String(at), content, at, layer: 'user', trust: 'stated', terms };
  });
  const { outdated, inPart } = outdatedMemories(known);
  return outdated.has('0') && !inPart.has('0');
}

describe('a home or job', () => {
  test.each([
    ['I live in Leeds with my brother Kofi.', 'Kofi has moved out, he lives in Hull now.'],
    ['I live in Leeds with my brother Kofi.', 'My brother moved out and lives in Hull now.'],
    ['I live in Porto with my parents.', 'My parents live in Faro now.'],
    ['I work at Bosch with my cousin Ali.', 'Ali works at Siemens now.'],
    ['I work at Bosch, my wife at Siemens.', 'My wife works at Audi now.'],
    ['I work at Bosch like my father.', 'My father retired.'],
    ['I work at Bosch, just like Tom.', 'Tom quit.'],
    ['I live in Leeds, near my sister who works at Bosch.', 'My sister works at Siemens now.'],
    ['I am married to Ana, who works at Zara.', 'Ana works at Mango now.'],
    ['Ich arbeite bei Bosch wie mein Vater.', 'Mein Vater ist in Rente.'],
    ['Ich wohne mit meiner Freundin Eva in Kiel.', 'Eva ist ausgezogen.'],
    ['Trabajo en Zara como mi padre.', 'Mi padre se jubiló.'],
    ['Vivo en Gijón con mi hermana Ana.', 'Ana se fue de casa.'],
    ['我和妹妹小红住在上海。', '小红搬走了。'],
    ['我跟爸爸一样在腾讯上班。', '我爸爸退休了。'],
  ])('holds in part: "%s" after "%s"', (older, newer) => {
    expect(isEndedWhole(older, newer)).toBe(false);
  });

  test.each([
    ['I work at Bosch.', 'Bosch closed.'],
    ['I work as a nurse at Bosch.', 'Bosch closed.'],
    ['I work at Bosch with Ali.', 'I now work at Siemens with Ali.'],
    ['My boss is Tom.', 'Tom left the company.'],
    ['My dentist is Dr. Holt.', 'Dr. Holt retired.'],
  ])('ends: "%s" by "%s"', (older, newer) => {
    expect(isEndedWhole(older, newer)).toBe(true);
  });
});
