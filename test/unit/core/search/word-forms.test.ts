import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bestScore, queryTerms } from '#core/search/keyword-score.ts';
import { formsIn } from '#core/search/word-forms.ts';
import { scopeOf, terms } from './scope-of-words.ts';

function scopeWithForms(text: string) {
  const known = new Set(terms(text));
  return { ...scopeOf(text), formsOf: (missing: readonly string[]) => formsIn(known, missing) };
}

function found(asked: string, memory: string): string[] {
  const { documentFrequency, ...scope } = scopeWithForms(memory);
  const query = queryTerms(terms(asked), { ...scope, documentFrequency });
  return query.map(({ term }) => term).filter((term) => documentFrequency(term) > 0);
}

describe('a question with another form of a word', () => {
  test.each([
    ['¿Qué alergias tengo?', 'Es alérgica a la picadura de abeja.', 'alérgica'],
    ['¿Cómo gano plata con la arquitectura?', 'Soy arquitecto independiente.', 'arquitecto'],
    ['Was kam beim Zahnarzttermin heraus?', 'Der Zahnarzt heißt Lehnert.', 'Zahnarzt'],
    ['Brauche ich laktosefreie Sahne?', 'Verträgt keine Laktose.', 'Laktose'],
    ['Wann war die Heizung dran?', 'Unsere Gasheizung ist von 1998.', 'Gasheizung'],
    ['What goes in the parenthetical?', 'Put imperial units in parentheses.', 'parentheses'],
  ])('%s finds "%s" by "%s"', (asked, memory, word) => {
    expect(found(asked, memory)).toEqual(expect.arrayContaining([...terms(word)]));
  });

  test.each([
    ['Who keeps the bees?', 'I keep the beer in the shed.'],
    ['Wer ist Jana?', 'Der Jaguar steht im Hof.'],
    ['¿Dónde está el sol?', 'Me gusta la soledad.'],
    ['我的车', '火车站'],
  ])('%s does not find "%s" by a short beginning', (asked, memory) => {
    const own = new Set(terms(memory));
    expect([...formsIn(own, terms(asked)).values()].flat()).toEqual([]);
  });

  test('a word that the scope has keeps the question to that word', () => {
    expect(found('Miete', 'Die Miete ohne Heizung heißt Kaltmiete.')).toEqual(terms('Miete'));
  });

  test('a form is worth less than the word itself', () => {
    const [word] = queryTerms(terms('Laktose'), scopeWithForms('Laktose'));
    const [form] = queryTerms(terms('laktosefrei'), scopeWithForms('Laktose'));
    expect(form?.weight).toBeGreaterThan(0);
    expect(form?.weight).toBeLessThan(word?.weight ?? 0);
  });

  test.each([
    ['alergia', 'alérgica'],
    ['Allergie', 'allergisch'],
    ['trabajar', 'trabajo'],
  ])('%s: a form that is also an everyday word for it counts once: %s', (asked, memory) => {
    const query = queryTerms(terms(asked), scopeWithForms(memory));
    expect(query.map(({ term }) => term)).toEqual([...terms(memory)]);
  });

  test('words of asking count less than words of the topic', () => {
    const scope = scopeWithForms('Tell Derek about the boiler');
    const [asking] = queryTerms(terms('tell'), scope);
    const [topic] = queryTerms(terms('boiler'), scope);
    expect(asking?.weight).toBeLessThan((topic?.weight ?? 0) / 2);
    expect(bestScore(queryTerms(terms('tell'), scope))).toBe(asking?.weight);
  });

  test('forms are few, and the same in any order of the vocabulary', () => {
    const word = fc.stringMatching(/^mieter?[a-z]{0,6}$/u);
    fc.assert(
      fc.property(fc.uniqueArray(word, { maxLength: 40 }), (vocabulary) => {
        const forms = formsIn(vocabulary, ['miete']).get('miete') ?? [];
        expect(forms.length).toBeLessThanOrEqual(8);
        expect(formsIn(vocabulary.toReversed(), ['miete']).get('miete') ?? []).toEqual(forms);
        expect(forms).not.toContain('miete');
      }),
    );
  });

  test('a long question reads the words of a large scope once', () => {
    const isLatin = fc.stringMatching(/^[a-d]{3,9}$/u);
    const words = fc.uniqueArray(isLatin, { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(words, words, (vocabulary, asked) => {
        let read = 0;
        const counted = function* () {
          for (const word of vocabulary) {
            read += 1;
            yield word;
          }
        };
        const forms = formsIn(counted(), asked);
        expect(read).toBeLessThanOrEqual(vocabulary.length);
        // As for each word alone, of as many as are compared.
        for (const term of asked.slice(0, 10)) {
          expect(forms.get(term)).toEqual(formsIn(vocabulary, [term]).get(term));
        }
      }),
    );
  });

  test('of a long text, the first words alone are compared', () => {
    const asked = Array.from(
      { length: 500 },
      (_, at) => `miete${'ab'.repeat(at % 3)}${'c'.repeat(at)}`,
    );
    const forms = formsIn(
      asked.map((word) => `x${word}`),
      asked,
    );
    expect(forms.size).toBe(32);
  });
});
