import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sectionsOf } from '#cli/import/markdown-sections.ts';
import { CONTENT_LENGTH_MAX } from '#core/records/memory.ts';
import { ANY_CHARACTER } from '#test/any-character.ts';

const paths = (document: string): string[] => sectionsOf(document).map(({ path }) => path);
const texts = (document: string): string[] => sectionsOf(document).map(({ text }) => text);

const UNDERLINE = /^ {0,3}[=-]+[ \t]*$/;

describe('Markdown sections', () => {
  test('IMPORT-1: follow the headings and keep their words', () => {
    const document = '# Guide\n\nIntro.\n\n## Install *now*\n\nRun `x`.\n\n# Use\n\n- one\n- two\n';
    expect(sectionsOf(document)).toEqual([
      { headings: ['Guide'], path: 'guide', text: '# Guide\n\nIntro.' },
      {
        headings: ['Guide', 'Install now'],
        path: 'guide/install-now',
        text: '## Install *now*\n\nRun `x`.',
      },
      { headings: ['Use'], path: 'use', text: '# Use\n\n- one\n- two' },
    ]);
  });

  test.each([
    ['text before any heading', 'Hello.\n\n# A\n\nText.', ['top', 'a']],
    ['repeated headings', '# A\n\nx\n\n# A\n\ny\n\n# A.2\n\nz', ['a', 'a.2', 'a-2']],
    ['underlined headings', 'Title\n=====\n\nText.\n\nPart\n---\n\nMore.', ['title', 'title/part']],
    ['a horizontal rule', 'Text.\n\n---\n\nMore.', ['top']],
    ['a list before a rule', '- item\n---\n\nMore.', ['top']],
    ['a heading without text under it', '# A\n\n## B\n\nText.', ['a/b']],
    ['skipped levels', '# A\n\n### C\n\nText.\n\n## B\n\nText.', ['a/c', 'a/b']],
    ['a hash inside code', '# A\n\n```sh\n# not a heading\n```\n', ['a']],
    ['a fence in a list', '# A\n\n- x\n\n    ```\n# no\n    ```\n\n# B\n\ny', ['a', 'b']],
    ['a hashtag', '# A\n\n#tag is text', ['a']],
    ['closing hashes', '## A ##\n\nText.', ['a']],
    ['headings in other scripts', '# Überblick\n\nx\n\n# 概要\n\ny', ['überblick', '概要']],
    ['only references', '# A\n\nx\n\n# B\n\n[y]: https://example.org', ['a']],
    ['no text', '\n\n', []],
  ])('IMPORT-1: are found with %s', (_, document, expected) => {
    expect(paths(document)).toEqual(expected);
  });

  test.each([
    ['front matter', '---\ntitle: X\n---\nText.', ['Text.']],
    ['front matter that ends in dots', '---\ntitle: X\n...\nText.', ['Text.']],
    ['TOML front matter', '+++\ntitle = "X"\n+++\nText.', ['Text.']],
    ['text between rules', '---\nA sentence\n---\nText.', ['---\nA sentence\n---\nText.']],
    ['a comment', 'One <!-- hidden --> two.\n<!-- a\nb -->\nThree.', ['One  two.\nThree.']],
    ['a comment in code', '```\n<!-- kept -->\n```', ['```\n<!-- kept -->\n```']],
    ['a comment in inline code', 'Write `<!-- x -->` so.', ['Write `<!-- x -->` so.']],
    ['an unclosed comment', 'One <!-- two\n\nThree.', ['One <!-- two\n\nThree.']],
    ['badges', '[![ci](a.svg)](b) [![npm][n]][m]\n<img src="x">\nText.', ['Text.']],
    ['an image in a sentence', 'See ![the plan](p.png) here.', ['See ![the plan](p.png) here.']],
    ['links', 'See [the plan](p.md).', ['See [the plan](p.md).']],
    ['layout tags', '<p align="center">\n  <b>Bold</b>\n</p>', ['  <b>Bold</b>']],
  ])('IMPORT-2: contain only what a reader sees: %s', (_, document, expected) => {
    expect(texts(document)).toEqual(expected);
  });

  test('IMPORT-3: are cut between paragraphs and sentences if too long, but not in code', () => {
    const sentence = 'The operator reconciles every tenant and writes one status. ';
    const code = `\`\`\`\n${'const x = 1;\n\n'.repeat(300)}\`\`\``;
    const document = `# A\n\n${sentence.repeat(60)}\n\n${code}\n\nEnd.`;
    const sections = sectionsOf(document);
    expect(sections.map(({ path }) => path)).toEqual(['a', 'a~2', 'a~3', 'a~4', 'a~5']);
    expect(new Set(sections.map(({ headings }) => headings.join()))).toEqual(new Set(['A']));
    expect(sections[0]?.text).toMatch(/^# A\n\nThe operator .* status\.$/s);
    expect(sections[3]?.text).toBe(code);
    expect(sections[4]?.text).toBe('End.');
  });

  test('IMPORT-3: keep a heading with code of any length, and none is too long', () => {
    const code = `\`\`\`\n${'x = 1\n'.repeat(20_000)}\`\`\``;
    const sections = sectionsOf(`# A\n\n${code}`);
    expect(sections[0]?.text.startsWith('# A\n\n```\nx = 1')).toBe(true);
    for (const { text } of sections) expect(text.length).toBeLessThanOrEqual(CONTENT_LENGTH_MAX);
  });

  test('IMPORT-4: together contain every line of prose, in order', () => {
    const line = fc.oneof(
      fc.lorem({ maxCount: 30 }),
      fc.lorem({ maxCount: 3 }).map((text) => `## ${text}`),
      fc.constantFrom('', '', '- item', '| a | b |', '> quote', '    code', '====', '---', '1. x'),
      fc.string({ unit: 'grapheme', maxLength: 20 }),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 40 }), (lines) => {
        // What comments, front matter and fences do has cases of its own above.
        const prose = lines.filter((each) => !/[<`~[!]|^---|^\+\+\+/.test(each));
        const document = prose.join('\n');
        const joined = texts(document).join('\n').replaceAll(/\s+/g, '');
        let at = 0;
        for (const [n, each] of prose.entries()) {
          // A heading with nothing under it is a title without a text.
          if (/^ {0,3}#/.test(each) || isUnderlined(prose.slice(n))) continue;
          if (!/[\p{L}\p{N}]/u.test(each)) continue;
          const found = joined.indexOf(each.replaceAll(/\s+/g, ''), at);
          expect(found).toBeGreaterThanOrEqual(0);
          at = found;
        }
      }),
    );
  });

  test('IMPORT-4: are not empty and have unique paths, for any text', () => {
    const text = fc.array(
      fc.oneof(
        fc.string({ unit: ANY_CHARACTER, maxLength: 40 }),
        fc.constantFrom('# A', '```', '~~~', '<!--', '-->', '---', '![x](y)', '<p>', '\n', '\r'),
      ),
      { maxLength: 30 },
    );
    fc.assert(
      fc.property(text, (lines) => {
        const sections = sectionsOf(lines.join('\n'));
        expect(new Set(sections.map(({ path }) => path)).size).toBe(sections.length);
        for (const section of sections) expect(section.text.trim()).not.toBe('');
      }),
    );
  });
});

/** Whether the paragraph that goes on with these lines is a heading, or its line. */
function isUnderlined(lines: readonly string[]): boolean {
  const end = lines.findIndex((line) => line.trim() === '' || UNDERLINE.test(line));
  return end !== -1 && UNDERLINE.test(lines[end] ?? '');
}
