import { describe, expect, test } from 'vitest';
import { firstChange, historyStart, memoryChange } from '#core/sources/memory-history.ts';
import { MemoryChange } from '#core/records/memory.ts';
import { memoryOf, NOW, rulesAt } from '#test/conformance/samples.ts';

const BEFORE = memoryOf('acme', 1, { tags: ['old'], metadata: { depth: 1 }, vector: [1, 0] });
const AFTER = { ...BEFORE, version: 2, updatedAt: NOW + 1 };
const RULES = { ...rulesAt(NOW), by: 'ann' };

describe('a change of a memory', () => {
  test.each([
    ['nothing', {}, {}],
    ['tags', { tags: ['new'] }, { tags: ['old'] }],
    ['equal tags', { tags: ['old'] }, {}],
    ['metadata', { metadata: { depth: 2 } }, { metadata: { depth: 1 } }],
    ['the key', { key: 'tea' }, { key: null }],
    ['only the vector', { vector: [0, 1] }, {}],
    [
      'the state',
      { state: 'superseded', supersededBy: 'm-2' },
      { state: 'active', supersededBy: null },
    ],
  ] as const)('STORE-47: of %s records the values before it', (_, differing, before) => {
    const after = { ...AFTER, ...structuredClone(differing) } as typeof AFTER;
    const change = memoryChange({ action: 'Updated', before: BEFORE, after }, RULES);
    expect(change).toMatchObject({ version: 2, at: NOW, principal: 'ann', action: 'Updated' });
    expect(change.before).toEqual(before);
    expect(MemoryChange.parse(change)).toEqual(change);
  });

  test('STORE-47: an addition records nothing before it', () => {
    const change = firstChange(BEFORE, historyStart(BEFORE, rulesAt(NOW)));
    expect(change).toMatchObject({ version: 1, at: NOW, principal: 'varve', before: {} });
    expect(MemoryChange.parse(change)).toEqual(change);
  });

  test('STORE-47: a deletion is a version of its own and keeps the content, but no vector', () => {
    const change = memoryChange({ action: 'Deleted', before: AFTER, after: null }, RULES);
    expect(change.version).toBe(3);
    expect(change.before).toMatchObject({ content: BEFORE.content, tags: ['old'] });
    expect(Object.keys(change.before)).not.toContain('vector');
  });
});
