import { describe, expect, test } from 'vitest';
import {
  linesOfProposal,
  proposalWithout,
  restartScope,
  withDescendants,
  withoutLines,
} from '#core/erasure/dependent-records.ts';
import { blockOf, coreOf, lineOf, proposalOf } from '#test/conformance/document-samples.ts';
import { NOW } from '#test/conformance/samples.ts';
import { settledScope } from '../scope-records.ts';

const derived = (id: string, ...sources: readonly string[]) => ({ id, sources });

describe('what an erasure removes', () => {
  test.each<[string, readonly string[], readonly string[]]>([
    ['all that rests on the target', ['a'], ['a', 'ab', 'abc', 'mixed']],
    ['all that rests on one of several targets', ['ab', 'x'], ['ab', 'abc', 'mixed', 'x']],
    ['only the target if nothing rests on it', ['abc'], ['abc']],
    ['only the target if it is unknown', ['z'], ['z']],
    ['nothing if there is no target', [], []],
  ])('is %s, however deep', (_, ids, expected) => {
    const all = [derived('abc', 'ab'), derived('ab', 'a'), derived('mixed', 'x', 'ab')];
    expect([...withDescendants(ids, all)].toSorted()).toEqual(expected);
  });

  test('ends if two records rest on each other', () => {
    const all = [derived('a', 'b'), derived('b', 'a')];
    expect([...withDescendants(['a'], all)].toSorted()).toEqual(['a', 'b']);
  });
});

describe('a document whose lines are partly erased', () => {
  const gone = new Set([lineOf(1).id]);

  test('keeps its other lines and its heading', () => {
    const block = {
      ...blockOf('acme', 1, { lines: [lineOf(1), lineOf(2)], key: 'k' }),
      version: 1,
    };
    expect(withoutLines(block, gone)).toEqual({ ...block, lines: [lineOf(2)] });
  });

  test('keeps its place but none of its words if nothing is left', () => {
    const block = { ...blockOf('acme', 1, { lines: [lineOf(1)], key: 'k' }), version: 1 };
    const left = { lines: [], heading: null, key: null, layout: undefined };
    expect(withoutLines(block, gone)).toEqual({ ...block, ...left });
  });

  test('that had no lines is unchanged', () => {
    const block = { ...blockOf('acme', 1, { lines: [], key: 'k' }), version: 1 };
    expect(withoutLines(block, gone)).toEqual(block);
  });

  test('loses them from the layout of a person, and keeps the rest of it', () => {
    const lines = [1, 2].map((n) => lineOf(n, { heading: null }));
    const layout = lines.map(({ text }) => `* ${text}\n`).join('');
    const core = coreOf('acme', 1, { lines, layout: `<!-- mine -->\n${layout}` });
    const left = withoutLines(core, gone);
    expect(left.lines).toEqual([lines[1]]);
    expect(left.layout).toBe(`<!-- mine -->\n* ${lines[1]?.text ?? ''}\n`);
  });
});

describe('a proposal whose lines are partly erased', () => {
  const proposal = proposalOf('acme', 1, {
    lines: [lineOf(1), lineOf(2)],
    archived: [lineOf(3), lineOf(4)],
    diary: [lineOf(5), lineOf(6)],
  });

  test('loses them everywhere, with all that a model said without proof', () => {
    const gone = new Set([1, 3, 5].map((n) => lineOf(n).id));
    expect(proposalWithout(proposal, gone)).toEqual({
      ...proposal,
      lines: [lineOf(2)],
      archived: [lineOf(4)],
      diary: [lineOf(6)],
      dropped: [],
    });
  });

  test('consists of its own, archived and diary lines', () => {
    const numbers = [1, 2, 3, 4, 5, 6];
    expect(linesOfProposal(proposal)).toEqual(numbers.map((n) => lineOf(n)));
  });
});

describe('a scope whose sources are erased', () => {
  test('is due at once as a scope without a summary, and ends its lease', () => {
    const record = settledScope({
      sourceCount: 2,
      changes: 0,
      droppedSources: [{ id: 'a', reason: 'Erased' }],
      unseenSources: [{ id: 'b', change: 1 }],
      attempts: 3,
      urgentAt: NOW - 9,
      version: 4,
    });
    expect(restartScope(record, NOW)).toEqual({
      ...record,
      ...{ changes: 1, droppedSources: [], unseenSources: [], firstStaleAt: NOW },
      ...{ dueAt: NOW, dueTrigger: 'Requested', urgentAt: null, generatedAt: null },
      ...{ recipeHash: null, lease: null, attempts: 0, deadLetter: null, version: 5 },
    });
  });

  test('keeps its change count, and is not due if no source is left', () => {
    const empty = restartScope(settledScope({ sourceCount: 0, changes: 7 }), NOW);
    expect(empty).toMatchObject({ changes: 7, dueAt: null, dueTrigger: null, firstStaleAt: NOW });
  });
});
