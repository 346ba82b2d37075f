import { describe, expect, test } from 'vitest';
import { RELATED_GROUPS, relatedWords } from '#core/search/related-words.ts';
import { bestScore, queryTerms } from '#core/search/keyword-score.ts';
import { stem } from '#core/text/stem.ts';
import { scopeOf, terms } from './scope-of-words.ts';

describe('a question with other words than the memory', () => {
  test.each([
    ['Which city?', 'Dana lives in Lisbon.', 'lives'],
    ['What is her profession?', 'Dana works as a nurse.', 'works'],
    ['Any siblings?', 'Her sister studies law.', 'sister'],
    ['Welchen Beruf hat Jana?', 'Sie arbeitet als Architektin.', 'arbeitet'],
    ['¿Cuál es su profesión?', 'Trabaja de profesora.', 'trabaja'],
    ['她的职业是什么？', '她在医院工作。', '工作'],
    ['Wo wohne ich?', 'Ich bin nach Linz gezogen.', 'gezogen'],
    ['¿Dónde vivo?', 'Me mudé a Cádiz en mayo.', 'mudé'],
    ['我住在哪里？', '上个月我搬到杭州了。', '搬到'],
  ])('%s finds the word of "%s": %s', (asked, memory, word) => {
    const query = queryTerms(terms(asked), scopeOf(memory));
    expect(query.map(({ term }) => term)).toContain(terms(word)[0]);
  });

  test.each([
    ['wohne', 'gezogen'],
    ['vivo', 'mudé'],
    ['我住', '搬去'],
  ])('%s, as people ask about themselves, finds turns with %s', (asked, said) => {
    expect(relatedWords(terms(asked)[0] ?? '')).toContain(terms(said)[0]);
  });

  test('a word that the scope has is not expanded', () => {
    const query = queryTerms(terms('city'), scopeOf('The city where Dana lives.'));
    expect(query.map(({ term }) => term)).toEqual(terms('city'));
  });

  test('only one of several expanded words counts toward the best score', () => {
    const query = queryTerms(terms('siblings'), scopeOf('Her brother Tom, her sister Ann.'));
    expect(query).toHaveLength(2);
    expect(bestScore(query)).toBe(query[0]?.weight);
  });

  test('expansion words are plain terms, almost all equal to their own stems', () => {
    // Stems that have another stem themselves: of "employee", "intolerant", "volleyball" and so on.
    const shortened =
      'employe intoler volleybal univers degre cours releas databas respons excurs purchas ' +
      'laktos profes apprentic traine hors coffe diseas nurs earli concis advis adhes puls kaffe ' +
      'gesell baustell reis tabell mudars intolerant jubilars';
    const known = new Set(shortened.split(' '));
    const words = RELATED_GROUPS.trim().split(/\s+/u);
    const marked = words.filter((word) => /\p{M}/u.test(word.normalize('NFD')));
    expect(marked).toEqual([]);
    expect(words.filter((word) => stem(word) !== word && !known.has(word))).toEqual([]);
  });
});
