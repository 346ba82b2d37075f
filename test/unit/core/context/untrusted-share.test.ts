/** How much of a context earlier turns by tools and strangers may fill. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { untrustedTokens } from '#core/context/past-turns.ts';
import { assemble, pastOf, tokens } from '../context-input.ts';

const LIMIT = 400;
/** Each of 20 tokens: ten of them are half of the limit. */
const TEXT = 'A word of four letters, and so on until it is eighty of them with the end.......';
const FEW = 15;

const toolPassage = (place: number) => pastOf(place, TEXT, { trust: 'untrusted' });

function shownOf(pastTurns: readonly ReturnType<typeof pastOf>[], limit = LIMIT) {
  const { receipt } = assemble({ limit, pastTurns });
  return receipt.filter(({ kind }) => kind === 'pastTurn');
}

describe('passages of tools and strangers', () => {
  test('fill at most half of a context, and the receipt lists what was left out for that', () => {
    // A turn each, so that each has a line in the receipt.
    const lines = shownOf(Array.from({ length: FEW }, (_, n) => toolPassage(4 * n)));
    const shown = lines.filter(({ included }) => included);
    const cost = shown.reduce((sum, line) => sum + line.tokens, 0);
    expect(cost).toBe(LIMIT / 2);
    const out = lines.filter(({ included }) => !included);
    expect(out).toHaveLength(FEW - shown.length);
    expect(new Set(out.map(({ reason }) => reason))).toEqual(new Set(['OverShare']));
  });

  test('fill as much of it as the policy allows', () => {
    const pastTurns = Array.from({ length: FEW }, (_, n) => toolPassage(4 * n));
    const costOf = (untrustedPercent: number) => {
      const { receipt } = assemble({ limit: LIMIT, pastTurns, untrustedPercent });
      const shown = receipt.filter(({ kind, included }) => kind === 'pastTurn' && included);
      return shown.reduce((sum, line) => sum + line.tokens, 0);
    };
    expect([0, 25].map(costOf)).toEqual([0, LIMIT / 4]);
    expect(costOf(100)).toBeGreaterThan(LIMIT / 2);
  });

  test('leave the rest to what people said, even if it is far from the question', () => {
    const tools = Array.from({ length: FEW }, (_, n) => toolPassage(4 * n));
    const said = pastOf(4 * FEW, 'We sail on Monday.');
    const lines = shownOf([...tools, said]);
    expect(lines.at(-1)).toMatchObject({ id: said.turnId, included: true, trust: 'stated' });
  });

  test('never exceed their share, whatever other passages there are', () => {
    const passages = fc.array(
      fc.record({ isTool: fc.boolean(), length: fc.integer({ min: 4, max: 400 }) }),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(passages, fc.integer({ min: 100, max: 800 }), (given, limit) => {
        const pastTurns = given.map(({ isTool, length }, n) =>
          pastOf(4 * n, 'w'.repeat(length), { trust: isTool ? 'untrusted' : 'stated' }),
        );
        const ids = new Set(shownOf(pastTurns, limit).flatMap((e) => (e.included ? [e.id] : [])));
        const shown = pastTurns.filter(({ turnId }) => ids.has(turnId));
        expect(untrustedTokens(shown, tokens)).toBeLessThanOrEqual(limit / 2);
      }),
    );
  });
});

/** How much of a context one long turn may fill while others fit the question. */
describe('the passages of a pasted document', () => {
  const page = (n: number) =>
    pastOf(n, `Page ${String(n)} of the report says much.`, {
      turnId: 'report',
      isFirst: n === 0,
      relevance: 1,
    });
  const pages = Array.from({ length: 90 }, (_, n) => page(n));

  test('leave room for another relevant turn, even one that ranks below them', () => {
    const said = pastOf(200, 'We sail on Monday.', { isLast: true, relevance: 0.1 });
    const { text } = assemble({ limit: LIMIT, pastTurns: [...pages, said] });
    expect(text).toContain('We sail on Monday.');
    expect(text).toContain('Page 0 of the report');
  });

  test('fill the room that relevant turns leave, before unrelated turns do', () => {
    const unrelated = pastOf(200, 'Nothing of it.', { isLast: true, isUnrelated: true });
    const both = assemble({ limit: LIMIT, pastTurns: [...pages, unrelated] });
    const alone = assemble({ limit: LIMIT, pastTurns: pages });
    expect(both.text).toBe(alone.text);
    expect(alone.tokens).toBeGreaterThan(0.9 * LIMIT);
  });
});
