/** Why each item of a context is in or out, what it costs, and which sources it has. */
import { describe, expect, test } from 'vitest';
import type { ContextInput } from '#core/context/context-parts.ts';
import { contextReceiptOf } from '#core/context/context-receipt.ts';
import type { Selection } from '#core/context/context-text.ts';
import type { PastPassage } from '#core/context/past-turns.ts';
import { FRESH, pastOf, relatedOf, summaryPart, tokens, turnOf } from '../context-input.ts';

const EMPTY: ContextInput = {
  ...{ layout: 'byQuestion', limit: 40, instructions: 'Be kind.', query: 'What?' },
  ...{ sessionSummary: null, hotTurns: [], relatedEntities: [], pastTurns: [], layerSummaries: [] },
};
const NOTHING: Selection = {
  ...{ sessionDepth: null, hotTurns: [], related: [], past: [], layerDepths: new Map() },
};

function linesOf(input: Partial<ContextInput>, selection: Partial<Selection> = {}) {
  const lines = contextReceiptOf({ ...EMPTY, ...input }, { ...NOTHING, ...selection }, tokens);
  return lines.slice(1, -1);
}

const saidOf = (lines: ReturnType<typeof linesOf>) =>
  lines.map(({ id, included, reason }) => `${included ? 'in' : 'out'} ${id}: ${reason}`);

test('a receipt begins with the instructions and ends with the question', () => {
  const blank = {
    ...{ key: null, layer: null, depth: null, sources: [], freshness: null, trust: null },
    ...{ relevance: null, similarity: null, personalized: null, sinceThen: [] },
  };
  const always = { ...blank, included: true, reason: 'Always' };
  expect(contextReceiptOf(EMPTY, NOTHING, tokens)).toEqual([
    { ...always, kind: 'instructions', id: 'instructions', tokens: 2 },
    { ...always, kind: 'query', id: 'query', tokens: 2 },
  ]);
});

test('the receipt lists turns and memories with all that is known of them', () => {
  const turns = [turnOf(1, 'user: Hello.'), turnOf(2)];
  const memory = { ...relatedOf(1, 0.5, 'Ann sails.'), key: 'hobby' };
  const unknown = { depth: null, freshness: null, similarity: null, personalized: null };
  const lines = linesOf(
    { hotTurns: turns, relatedEntities: [memory] },
    { hotTurns: turns.slice(1), related: [memory] },
  );
  expect(saidOf(lines)).toEqual([
    'out turn-1: OverLimit',
    'in turn-2: Recent',
    'in memory-1: Relevant',
  ]);
  expect([lines[0], lines[2]]).toEqual([
    {
      ...{ ...unknown, kind: 'hotTurn', id: 'turn-1', key: null, layer: 'session', tokens: 3 },
      ...{ included: false, reason: 'OverLimit', trust: 'stated', relevance: 1 },
      ...{ sources: ['turn-1'], sinceThen: [] },
    },
    {
      ...{ ...unknown, kind: 'relatedEntity', id: 'memory-1', key: 'hobby', layer: 'user' },
      ...{ included: true, reason: 'Relevant', trust: 'stated', relevance: 0.5, tokens: 3 },
      ...{ sources: ['memory-1'], sinceThen: [] },
    },
  ]);
});

test('the receipt lists memories by relevance, each with the reason it is out', () => {
  const shown = relatedOf(1, 0.1);
  const said = { ...relatedOf(2, 0.2), statement: 'Ann sails.' };
  const replaced = { ...relatedOf(3, 0.3), outdatedBy: ['memory-9'] };
  const marked = { ...relatedOf(4, 0.4), outdatedBy: [shown.id] };
  const [far, long] = [{ ...relatedOf(5, 0.5), isFar: true }, relatedOf(6, 0.6)];
  const relatedEntities = [shown, said, replaced, marked, far, long];
  const selection = { related: [far, shown], past: [pastOf(0, 'Well, Ann sails.')] };
  expect(saidOf(linesOf({ relatedEntities }, selection))).toEqual([
    'out memory-6: OverLimit',
    'in memory-5: RoomLeft',
    'out memory-4: OverLimit',
    'out memory-3: Superseded',
    'out memory-2: Duplicate',
    'in memory-1: Relevant',
  ]);
});

describe('a summary', () => {
  const deep = { sentence: 'Ann sails.', paragraph: 'Ann sails and sings.' };
  const layer = summaryPart('user', deep, 0.5);
  const known = { id: layer.id, key: null, layer: 'user', freshness: FRESH, relevance: 0.5 };
  const line = {
    ...{ ...known, kind: 'layerSummary', similarity: null, personalized: false, sinceThen: [] },
    ...{ included: false, depth: null, tokens: 3, sources: ['user-1'], trust: 'stated' },
  };
  const shownAt = (depth: 'sentence' | 'paragraph') => ({
    layerDepths: new Map([[layer.id, depth]]),
  });
  test.each<[string, selection: Partial<Selection>, differing: object]>([
    ['without room', {}, { reason: 'OverLimit' }],
    [
      'at its shortest depth',
      shownAt('sentence'),
      { included: true, reason: 'OpenLayer', depth: 'sentence' },
    ],
    [
      'at a longer depth',
      shownAt('paragraph'),
      { included: true, reason: 'Relevant', depth: 'paragraph', tokens: 5 },
    ],
    [
      'that a turn says at every depth',
      { ...shownAt('sentence'), past: [pastOf(0, 'Ann sails. Ann sails and sings.')] },
      { reason: 'Duplicate' },
    ],
    [
      'that a turn says at its shortest depth',
      { ...shownAt('paragraph'), past: [pastOf(0, 'Ann sails.')] },
      { included: true, reason: 'OpenLayer', depth: 'paragraph', tokens: 5 },
    ],
  ])('of a layer %s has its line in the receipt', (_, selection, differing) => {
    expect(linesOf({ layerSummaries: [layer] }, selection)).toEqual([{ ...line, ...differing }]);
  });

  test.each<[string, depths: typeof deep | object, shown: boolean, said: string]>([
    ['that is shown', deep, true, 'in summary-session: LatestSession'],
    ['without room', deep, false, 'out summary-session: OverLimit'],
    ['without text', {}, false, 'out summary-session: NoText'],
    ['that turns say', { sentence: 'Ann sails.' }, true, 'out summary-session: Duplicate'],
  ])('of the session %s has its line in the receipt', (why, depths, isShown, said) => {
    const sessionSummary = summaryPart('session', depths);
    const hotTurns = why === 'that turns say' ? [{ ...turnOf(1), id: 'session-1' }] : [];
    const sessionDepth = isShown ? 'sentence' : null;
    const lines = linesOf({ sessionSummary }, { hotTurns, sessionDepth });
    expect(saidOf(lines)).toEqual([said]);
    expect(lines[0]?.kind).toBe('sessionSummary');
  });
});

describe('an earlier turn', () => {
  const [first, second] = [pastOf(0, 'Ann sails.'), pastOf(1, 'She sings.', { isFirst: false })];
  const far: Partial<PastPassage> = { isUnrelated: true };
  const tool: Partial<PastPassage> = { trust: 'untrusted' };
  const long = 'w'.repeat(84);

  test('is listed once, with the tokens of all its shown passages', () => {
    const pastTurns = [first, second, pastOf(4, 'Bo rows.')];
    const lines = linesOf({ pastTurns }, { past: [second, first] });
    expect(saidOf(lines)).toEqual(['in past-0: Relevant', 'out past-1: OverLimit']);
    expect(lines[0]).toEqual({
      ...{ kind: 'pastTurn', id: 'past-0', key: null, layer: 'session', depth: null, tokens: 6 },
      ...{ included: true, reason: 'Relevant', sources: ['past-0'], trust: 'stated', relevance: 1 },
      ...{ freshness: null, similarity: null, personalized: null, sinceThen: [] },
    });
    expect(lines[1]).toMatchObject({ tokens: 2, relevance: 1 / 5 });
  });

  // Of 40 tokens tools may have 20.
  test.each<[string, passages: readonly PastPassage[], isIn: boolean, said: string, fit: boolean]>([
    ['that fits', [first], true, 'in past-0: Relevant', true],
    ['that is unrelated', [pastOf(0, 'a', far)], true, 'in past-0: RoomLeft', false],
    [
      'with an unrelated and a related passage',
      [pastOf(0, 'a', far), second],
      true,
      'in past-0: Relevant',
      true,
    ],
    [
      'of a tool within its share',
      [pastOf(0, long.slice(4), tool)],
      false,
      'out past-0: OverLimit',
      true,
    ],
    ['of a tool over its share', [pastOf(0, long, tool)], false, 'out past-0: OverShare', true],
    ['of a person, equally long', [pastOf(0, long)], false, 'out past-0: OverLimit', true],
  ])('%s says why it is in or out', (_, pastTurns, isIn, said, isRelated) => {
    const lines = linesOf({ pastTurns }, { past: isIn ? pastTurns : [] });
    expect(saidOf(lines)).toEqual([said]);
    expect(lines[0]?.relevance).toBe(isRelated ? 1 : null);
  });

  test('of a tool is over its share if another tool turn is shown', () => {
    const pastTurns = [pastOf(0, 'Ann sails.', tool), pastOf(4, long.slice(4), tool)];
    const lines = linesOf({ pastTurns }, { past: pastTurns.slice(0, 1) });
    expect(saidOf(lines)).toEqual(['in past-0: Relevant', 'out past-1: OverShare']);
  });

  test('is listed after 20 that are out only if it is in', () => {
    const pastTurns = Array.from({ length: 25 }, (_, n) => pastOf(4 * n, 'Bo rows.'));
    const lines = linesOf({ pastTurns }, { past: pastTurns.slice(-1) });
    expect(lines.map(({ id }) => id)).toEqual([
      ...pastTurns.slice(0, 20).map(({ turnId }) => turnId),
      'past-24',
    ]);
  });
});
