import { describe, expect, test } from 'vitest';
import {
  isOf,
  linesOf,
  namesAny,
  proposalWithout,
  restarted,
  withDescendants,
  withoutLines,
} from '#core/erasure/dependent-records.ts';
import { blockOf, coreOf, lineOf, proposalOf } from '#test/conformance/document-samples.ts';
import { NOW } from '#test/conformance/samples.ts';
import { settledScope } from '../scope-records.ts';

const derived = (id: string, ...sources: readonly string[]) => ({ id, sources });

describe('what goes with an erasure', () => {
  test.each<[string, readonly string[], readonly string[]]>([
    ['what rests on it', ['a'], ['a', 'ab', 'abc', 'mixed']],
    ['what rests on one of several', ['ab', 'x'], ['ab', 'abc', 'mixed', 'x']],
    ['nothing else where nothing rests on it', ['abc'], ['abc']],
    ['itself alone where it is not known', ['z'], ['z']],
    ['nothing where nothing goes', [], []],
  ])('is %s, however far', (_, ids, expected) => {
    const all = [derived('abc', 'ab'), derived('ab', 'a'), derived('mixed', 'x', 'ab')];
    expect([...withDescendants(ids, all)].toSorted()).toEqual(expected);
  });

  test('ends where two rest on each other', () => {
    const all = [derived('a', 'b'), derived('b', 'a')];
    expect([...withDescendants(['a'], all)].toSorted()).toEqual(['a', 'b']);
  });

  test.each<[boolean, string, unknown]>([
    [true, 'is it', 'ann'],
    [true, 'has it at any depth, beside others', { at: 1, by: ['cleo', { user: 'ann' }] }],
    [false, 'has it within a longer text', ['annabel', 'to ann']],
    [false, 'has it as the name of a field', { ann: 1 }],
    [false, 'is nothing', null],
    [false, 'has no texts', { by: [1, true, undefined, null] }],
  ])('a value names a person (%s) that %s', (expected, _, value) => {
    expect(namesAny(value, new Set(['ann', 'ben']))).toBe(expected);
  });

  test('is a session of the person, and no session for another target', () => {
    expect(isOf({ kind: 'User', id: 'ann' }, { userId: 'ann', agentId: 'x' })).toBe(true);
    expect(isOf({ kind: 'User', id: 'ann' }, { userId: 'ben' })).toBe(false);
    expect(isOf({ kind: 'User', id: 'ann' }, {})).toBe(false);
    expect(isOf({ kind: 'Memory', id: 'ann' }, { userId: 'ann' })).toBe(false);
    expect(isOf({ kind: 'Tenant' }, { userId: 'ann' })).toBe(false);
  });
});

describe('a document of which lines are erased', () => {
  const gone = new Set([lineOf(1).id]);

  test('keeps its other lines and its heading', () => {
    const block = {
      ...blockOf('acme', 1, { lines: [lineOf(1), lineOf(2)], key: 'k' }),
      version: 1,
    };
    expect(withoutLines(block, gone)).toEqual({ ...block, lines: [lineOf(2)] });
  });

  test('keeps its place and none of its words where nothing is left', () => {
    const block = { ...blockOf('acme', 1, { lines: [lineOf(1)], key: 'k' }), version: 1 };
    const left = { lines: [], heading: null, key: null, layout: undefined };
    expect(withoutLines(block, gone)).toEqual({ ...block, ...left });
  });

  test('that had no line is as it was', () => {
    const block = { ...blockOf('acme', 1, { lines: [], key: 'k' }), version: 1 };
    expect(withoutLines(block, gone)).toEqual(block);
  });

  test('loses them from what a person laid out, and keeps the rest of it', () => {
    const lines = [1, 2].map((n) => lineOf(n, { heading: null }));
    const layout = lines.map(({ text }) => `* ${text}\n`).join('');
    const core = coreOf('acme', 1, { lines, layout: `<!-- mine -->\n${layout}` });
    const left = withoutLines(core, gone);
    expect(left.lines).toEqual([lines[1]]);
    expect(left.layout).toBe(`<!-- mine -->\n* ${lines[1]?.text ?? ''}\n`);
  });
});

describe('a proposal of which lines are erased', () => {
  const proposal = proposalOf('acme', 1, {
    lines: [lineOf(1), lineOf(2)],
    archived: [lineOf(3), lineOf(4)],
    diary: [lineOf(5), lineOf(6)],
  });

  test('loses them wherever they stand, and all that a model said without proof', () => {
    const gone = new Set([1, 3, 5].map((n) => lineOf(n).id));
    expect(proposalWithout(proposal, gone)).toEqual({
      ...proposal,
      lines: [lineOf(2)],
      archived: [lineOf(4)],
      diary: [lineOf(6)],
      dropped: [],
    });
  });

  test('has its lines, archived ones and those of the diary', () => {
    const numbers = [1, 2, 3, 4, 5, 6];
    expect(linesOf(proposal)).toEqual(numbers.map((n) => lineOf(n)));
  });
});

describe('a scope of which sources are erased', () => {
  test('has its summary made again at once, and no run at work on it', () => {
    const record = settledScope({
      sourceCount: 2,
      changes: 0,
      droppedSources: [{ id: 'a', reason: 'Erased' }],
      unseenSources: [{ id: 'b', change: 1 }],
      attempts: 3,
      urgentAt: NOW - 9,
      version: 4,
    });
    expect(restarted(record, NOW)).toEqual({
      ...record,
      ...{ changes: 1, droppedSources: [], unseenSources: [], firstStaleAt: NOW },
      ...{ dueAt: NOW, dueTrigger: 'Requested', urgentAt: null, generatedAt: null },
      ...{ recipeHash: null, lease: null, attempts: 0, deadLetter: null, version: 5 },
    });
  });

  test('keeps the count of its changes, and is not due where no source is left', () => {
    const empty = restarted(settledScope({ sourceCount: 0, changes: 7 }), NOW);
    expect(empty).toMatchObject({ changes: 7, dueAt: null, dueTrigger: null, firstStaleAt: NOW });
  });
});
