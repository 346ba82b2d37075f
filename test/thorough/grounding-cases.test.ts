import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { halfOfCase, outcomeOf, readCases } from '#bench/grounding-cases.ts';

const CASES = readCases(join(import.meta.dirname, '../grounding/cases'));
/** Nothing was fitted to this half. */
const REPORT = CASES.filter((each) => halfOfCase(each) === 'report');

function shareAsWorded(kind: string, lang?: string): number {
  const own = REPORT.filter(
    (each) => each.kind === kind && (lang === undefined || each.lang === lang),
  );
  expect(own.length).toBeGreaterThan(lang === undefined ? 100 : 15);
  return own.filter((each) => outcomeOf(each) === 'AsWorded').length / own.length;
}

describe('hand-written cases', () => {
  test('at most 3 % of inventions stay as worded', () => {
    expect(shareAsWorded('invention')).toBeLessThanOrEqual(0.03);
  });

  test('at most 8 % of mutations stay as worded', () => {
    expect(shareAsWorded('mutation')).toBeLessThanOrEqual(0.08);
  });

  test('at most 3 % of honest rewordings are lost', () => {
    const honest = REPORT.filter(({ kind }) => kind === 'faithful');
    const lost = honest.filter((each) => outcomeOf(each) === 'Dropped');
    expect(lost.length / honest.length).toBeLessThanOrEqual(0.03);
  });

  test('at most 3 % of inventions and 8 % of mutations in notes of another style stay', () => {
    const notes = readCases(join(import.meta.dirname, '../grounding/unseen'));
    const kept = (kind: string) => {
      const own = notes.filter((each) => each.kind === kind);
      return own.filter((each) => outcomeOf(each) === 'AsWorded').length / own.length;
    };
    expect(kept('invention')).toBeLessThanOrEqual(0.03);
    expect(kept('mutation')).toBeLessThanOrEqual(0.08);
  });

  test('at most 8 % of false claims about the actor stay, and at least 90 % of true ones', () => {
    const who = readCases(join(import.meta.dirname, '../grounding/actors'));
    const kept = (kind: string) => {
      const own = who.filter((each) => each.kind === kind);
      return own.filter((each) => outcomeOf(each) === 'AsWorded').length / own.length;
    };
    expect(kept('mutation')).toBeLessThanOrEqual(0.08);
    expect(kept('faithful')).toBeGreaterThanOrEqual(0.9);
  });

  test('at most 8 % of claims that exchange words of the source stay, and 80 % of true ones', () => {
    const all = readCases(join(import.meta.dirname, '../grounding/exchanges'));
    const exchanged = all.filter((each) => halfOfCase(each) === 'report');
    const kept = (kind: string) => {
      const own = exchanged.filter((each) => each.kind === kind);
      return own.filter((each) => outcomeOf(each) === 'AsWorded').length / own.length;
    };
    expect(kept('mutation')).toBeLessThanOrEqual(0.08);
    expect(kept('faithful')).toBeGreaterThanOrEqual(0.8);
  });

  test.each([
    ['en', 0.45],
    ['de', 0.46],
    ['es', 0.46],
    ['zh', 0.45],
  ])(
    'honest rewordings in %s stay as worded at least as often as measured before',
    (lang, least) => {
      expect(shareAsWorded('faithful', lang)).toBeGreaterThanOrEqual(least);
    },
  );
});
