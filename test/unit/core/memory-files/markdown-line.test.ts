import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { oneLine } from '#core/text/lines.ts';
import {
  escapedHeading,
  escapedLine,
  unescapedHeading,
  unescapedLine,
} from '#core/memory-files/markdown-line.ts';

/** Texts of which many begin or end like structure. */
const TEXT = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '#',
        '##',
        '-',
        '- ',
        '*',
        '+ ',
        '1.',
        '12) ',
        '>',
        '```',
        '\\',
        ' ',
        '_',
        '<!--',
      ),
      fc.string({ unit: 'grapheme', maxLength: 8 }),
    ),
    { maxLength: 6 },
  )
  .map((parts) => oneLine(parts.join('')));

describe('a line in Markdown', () => {
  test.each([
    ['## Secrets', String.raw`\## Secrets`],
    ['# Daily Memory: 2026-11-21', String.raw`\# Daily Memory: 2026-11-21`],
    ['- [ ] buy milk', String.raw`\- [ ] buy milk`],
    ['1. first', String.raw`1\. first`],
    ['```', '\\```'],
    ['<!-- hidden', String.raw`\<!-- hidden`],
    [String.raw`\# kept`, String.raw`\\# kept`],
    ['**Ann** leads', '**Ann** leads'],
    ['`npm test` runs', '`npm test` runs'],
    ['2026 was good. 3.5 is a number', '2026 was good. 3.5 is a number'],
    ['plain', 'plain'],
  ])('%j is written as %j and read back unchanged', (text, written) => {
    expect(escapedLine(text)).toBe(written);
    expect(unescapedLine(written)).toBe(text);
  });

  test('any text survives writing and reading, as a line and as a heading', () => {
    fc.assert(
      fc.property(TEXT, (text) => {
        expect(unescapedLine(escapedLine(text))).toBe(text);
        expect(unescapedHeading(escapedHeading(text))).toBe(text);
      }),
    );
  });

  test.each([
    ['Preferences ##', 'Preferences'],
    ['C#', 'C#'],
    [String.raw`\# of things`, '# of things'],
    ['##', ''],
  ])('a handwritten heading %j is read as %j', (written, heading) => {
    expect(unescapedHeading(written)).toBe(heading);
  });
});
