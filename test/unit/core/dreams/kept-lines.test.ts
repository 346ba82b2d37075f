/** Lines that a person protects from dreams with `<!-- keep -->`. */
import { describe, expect, test } from 'vitest';
import { DEFAULT_DREAM } from '#core/policy/policy-defaults.ts';
import { fittedMemory } from '#core/dreams/memory-md-size.ts';
import { editedLines } from '#core/memory-files/edited-lines.ts';
import { memoryText, readMemoryText } from '#core/memory-files/memory-md.ts';
import { digest } from '#test/conformance/samples.ts';
import { AT, lineOf } from '../memory-files/tier-samples.ts';
import { BASE, dreamt, keeps, says, textsOf, WORDS } from './dream-samples.ts';

const KEPT = 'Ann prefers tea. <!-- keep -->';
const [TEA, ...OTHERS] = BASE;
const base = [lineOf('m1', KEPT, { heading: 'Taste', at: AT - 3_000 }), ...OTHERS];
const underHeading = BASE.map((line) => ({ ...line, heading: 'Rules <!-- keep -->' }));
const guards = { ...DEFAULT_DREAM, removedLinesPercentMax: 100 };

describe('a line that a person keeps', () => {
  test.each([
    ['leaves the line out', keeps(OTHERS)],
    ['has another value', [says('Ann prefers coffee now.', ['b1', 'm1']), ...keeps(OTHERS)]],
    [
      'moves the line to another heading',
      [says('Ann prefers tea.', ['m1'], 'Facts'), ...keeps(OTHERS)],
    ],
  ])('stays byte for byte if an answer %s', (_, answer) => {
    const plan = dreamt({ base, answer, guards });
    expect(plan.lines).toContainEqual(base[0]);
    expect(plan).toMatchObject({ removed: [], archived: [] });
  });

  test('is removed with the others if it is not marked', () => {
    expect(dreamt({ answer: keeps(OTHERS), guards }).removed).toEqual([TEA?.id]);
  });

  test('may be a whole block under a marked heading', () => {
    const plan = dreamt({ base: underHeading, answer: keeps(OTHERS.slice(2)), guards });
    expect(textsOf(plan.lines)).toEqual(textsOf(underHeading));
    expect(plan.removed).toEqual([]);
  });

  test('never moves to the archive, however full MEMORY.md is', () => {
    const tools = { isNew: () => false, tokens: WORDS, tokensMax: 8 };
    expect(textsOf(fittedMemory(BASE, tools).archived)).toContain('Ann prefers tea.');
    expect(textsOf(fittedMemory(base, tools).archived)).not.toContain(KEPT);
  });

  test('is marked only by a person', () => {
    const answer = [...keeps(BASE), says('Ann prefers coffee now. <!-- keep -->', ['b1'])];
    expect(textsOf(dreamt({ answer }).lines)).toContain('Ann prefers coffee now.');
  });
});

describe('the keep mark', () => {
  test.each([
    ['after a line', '- Ann prefers tea. <!-- keep -->\n'],
    ['before a line', '- <!--keep--> Ann prefers tea.\n'],
    ['on a line of its own', '<!-- keep -->\n- Ann prefers tea.\n'],
  ])('is read %s and written after it', (_, text) => {
    const lines = readMemoryText(`${text}- Bob lives in Oslo.\n`);
    expect(lines.map(({ text: said }) => said)).toEqual([KEPT, 'Bob lives in Oslo.']);
    expect(readMemoryText(memoryText(lines))).toEqual(lines);
  });

  test.each(['## Rules <!-- keep -->\n', '<!-- keep -->\n## Rules\n'])(
    'of a heading applies to its lines: %j',
    (text) => {
      const lines = readMemoryText(`${text}- Ann prefers tea.\n`);
      expect(lines).toEqual([{ heading: 'Rules <!-- keep -->', text: 'Ann prefers tea.' }]);
      expect(readMemoryText(memoryText(lines))).toEqual(lines);
    },
  );

  test('can be added to a line without making it a new line', () => {
    const after = [{ heading: 'Taste', text: KEPT }, ...OTHERS];
    const edit = editedLines(BASE, after, { newId: () => 'n1', digest, at: AT });
    expect(edit).toMatchObject({ added: [], removed: [], tombstones: [] });
    expect(edit.lines[0]).toEqual({ ...TEA, text: KEPT });
  });
});
