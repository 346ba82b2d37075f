import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { MEMORY_LENGTH_MAX } from '#core/records/memory.ts';
import { failureOf } from '#test/unit/failures.ts';
import { fileOf, folderOf, imported, jsonLines } from './input-folder.ts';

const HELLO = { role: 'user', content: 'Hello' };
const LATIN1 = Buffer.concat([Buffer.from('one\ntwo caf'), Buffer.from([0xe9]), Buffer.from('\n')]);

const refused = (path: string) => failureOf(imported(path));

describe('refusals of an import', () => {
  test.each<[string, string, string | Uint8Array, RegExp]>([
    ['an empty file', 'a.md', '', /a\.md: there is no text in it\. Give/],
    ['a file of blank lines', 'a.txt', ' \n\n', /no text in it/],
    ['empty JSON Lines', 'a.jsonl', '\n\n', /no text in it/],
    ['Markdown with headings only', 'a.md', '# A\n\n## B\n', /no text in it/],
    ['a binary file', 'a.md', Uint8Array.of(80, 75, 3, 4, 0, 0), /binary file \(it has a NUL/],
    ['binary JSON Lines', 'a.jsonl', Uint8Array.of(123, 0), /binary file/],
    ['UTF-16', 'a.txt', Buffer.from('\ufeffhello', 'utf16le'), /UTF-16\. .*iconv -f UTF-16/],
    ['another encoding', 'a.txt', LATIN1, /a\.txt, line 2: the text is not UTF-8\. .*iconv/],
    ['JSON Lines not in UTF-8', 'a.jsonl', LATIN1, /a\.jsonl, line 1: the line is not JSON/],
    ['broken JSON', 'a.json', '[{"role":"user",}]', /a\.json, line 1: the document is not JSON/],
    ['JSON of several lines as JSON Lines', 'a.jsonl', '{\n"role":1}', /goes into a \.json file/],
    ['a number', 'a.json', '7', /none of the shapes .* Chat: .* Meeting: .* Memory: /],
    ['another shape', 'a.jsonl', jsonLines({ a: 1 }), /line 1: .*none of the shapes/],
    ['a bad line', 'a.jsonl', `${jsonLines(HELLO)}{"role"`, /line 2: the line is not JSON\. .*e/],
    ['a list in JSON Lines', 'a.jsonl', jsonLines(HELLO, [1]), /line 2: .*expected object/],
    ['a bad item', 'a.json', JSON.stringify([HELLO, { role: 'user' }]), /item 2: "content"/],
    ['an unknown role', 'a.jsonl', jsonLines({ ...HELLO, role: 'x' }), /"role" is none .*user/],
    ['a bad time', 'a.jsonl', jsonLines({ ...HELLO, at: 'noon' }), /its time is none .*ISO 8601/],
    [
      'a meeting without words',
      'a.jsonl',
      jsonLines({ meeting_transcripts: [{ speaker: 'Ann' }] }),
      /line 1: "meeting_transcripts\.0\.content": .* An example: /,
    ],
    [
      'a conversation without an id',
      'a.json',
      JSON.stringify([{ current_node: 'a', mapping: {} }]),
      /item 1: "id": .* An example: /,
    ],
    [
      'an unknown layer',
      'a.jsonl',
      jsonLines({ layer: 'galaxy', content: 'x' }),
      /line 1: "layer": .*"agent"/,
    ],
    [
      'an unknown field',
      'a.jsonl',
      jsonLines({ layer: 'team', content: 'x', tag: 'y' }),
      /line 1: Unrecognized key: "tag"/,
    ],
    ['an empty text', 'a.jsonl', jsonLines({ layer: 'team', content: ' ' }), /"content": .*empty/],
  ])(
    'IMPORT-17: %s is refused, and the error says what to do',
    async (_, ...[name, content, message]) => {
      const path = fileOf(name, content);
      const error = await refused(path);
      expect(error.code).toBe('INVALID_INPUT');
      expect(error.message).toMatch(message);
      expect(error.message.startsWith(path)).toBe(true);
      expect(error.message).toMatch(/\. [A-Z].*\.$/s);
      expect(error.details).toMatchObject({ file: path });
    },
  );

  test('IMPORT-17: a missing path is refused as given', async () => {
    const error = await refused('no/such/folder');
    expect(error).toMatchObject({ code: 'INVALID_INPUT', details: { file: 'no/such/folder' } });
    expect(error.message).toMatch(/^no\/such\/folder: there is no such file or folder\. Give/);
  });

  test('IMPORT-17: a folder without a readable file is refused', async () => {
    const error = await refused(folderOf({ 'a.png': 'x', 'b/c.pdf': 'y' }));
    expect(error.message).toMatch(/holds no file that can be imported\. .*\.md/);
  });

  test('IMPORT-17: a folder of files without text is refused', async () => {
    const folder = folderOf({ 'a.md': '', 'package.json': '{}' });
    expect((await refused(folder)).message).toMatch(/no text in it/);
  });

  test('IMPORT-17: a path that is neither file nor folder is refused', async () => {
    expect((await refused('/dev/null')).message).toMatch(/neither a file nor a folder/);
  });

  test('IMPORT-18: a memory over the limit is CONTENT_TOO_LONG, and the error names the limit', async () => {
    const content = 'x'.repeat(MEMORY_LENGTH_MAX + 1);
    const record = { layer: 'team', teamId: 't', content };
    const error = await refused(fileOf('a.jsonl', jsonLines(record)));
    expect(error).toMatchObject({
      code: 'CONTENT_TOO_LONG',
      details: { lengthMax: MEMORY_LENGTH_MAX, line: 1 },
    });
    expect(error.message).not.toContain('xxx');
  });

  test('IMPORT-18: a line over a megabyte is refused, and later lines can be read', async () => {
    const long = { role: 'user', content: 'x'.repeat(1_100_000) };
    const path = fileOf('a.jsonl', jsonLines(HELLO, long, HELLO));
    expect((await refused(path)).message).toMatch(/line 2: the line is longer than 1048576 bytes/);
    expect(await imported(path, { skipInvalid: true })).toHaveLength(2);
  });

  test.each([
    ['a.md', /16 MiB\. Split it into several files/],
    ['a.json', /16 MiB\. Write it as JSON Lines/],
  ])('IMPORT-18: a document over 16 MiB is refused: %s', async (name, message) => {
    const error = await refused(fileOf(name, Buffer.alloc(16 * 1024 * 1024 + 1, 'x ')));
    expect(error.message).toMatch(message);
  });

  test('IMPORT-17: an error in a folder names the unreadable file', async () => {
    const folder = folderOf({ 'sub/a.md': LATIN1 });
    expect((await refused(folder)).message).toContain(`${join(folder, 'sub/a.md')}, line 2`);
  });
});
