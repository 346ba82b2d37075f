import { countTokens } from 'gpt-tokenizer/encoding/cl100k_base';
import { describe, expect, test } from 'vitest';
import { extractFacts } from '#providers/extractive/extract-facts.ts';

const CAPS = { countTokens, maxTokens: 500, maxSentenceTokens: 50 };

function factsOf(text: string, speaker?: string): readonly string[] {
  const source = { id: 'm0', text, at: '2026-01-01T10:00:00Z' };
  const other = 'Ann lives in Rome with her dog.';
  const sources = [source, { ...source, id: 'm1', text: other }];
  const said = speaker === undefined ? sources : sources.map((each) => ({ ...each, speaker }));
  return extractFacts(said, CAPS)
    .map((fact) => fact.text)
    .filter((fact) => fact !== other);
}

describe.each([
  ['a memory', undefined],
  ['a message', 'user'],
])('the code in %s', (_, speaker) => {
  test.each([
    'Ann backs up with `restic -r b2:vault backup ~/docs`.',
    'Ann lists logs with `find . -name "*.log" -o -name "*.tmp"`.',
    'Run `make a. Then b; c, d` before `__init__.py` is read.',
    'Ann escapes `<br>` and `[a](b)` and `\\*` in the parser.',
    'Ann starts it with `npm run so so so, you know` on Mondays.',
    'Ann sichert mit `tar -czf x.tgz . --exclude=*.tmp`, dann mit rsync.',
    'Ann compila con `make -j4 all`, luego espera.',
    '安用`git push origin main`发布网站。',
  ])('stays as it was written: %s', (text) => {
    expect(factsOf(text, speaker)).toEqual([text]);
  });

  test.each([
    [
      "Eva's deploy command:\n```sh\nmake release\n```\nIt needs the VPN.",
      "Eva's deploy command: `make release`.",
      'It needs the VPN.',
    ],
    ["Eva's deploy command:\n\n```\nmake release\n```", "Eva's deploy command: `make release`."],
    [
      'Evas Befehl für das Release:\n```\nmake -B all\n```',
      'Evas Befehl für das Release: `make -B all`.',
    ],
    [
      'El comando de Eva para publicar:\n~~~\nmake all\n~~~',
      'El comando de Eva para publicar: `make all`.',
    ],
    ['爱娃的发布命令：\n```\nmake all\n```', '爱娃的发布命令： `make all`.'],
  ])('follows the sentence that introduces it, if it has one line: %j', (text, ...facts) => {
    expect(factsOf(text, speaker).map((each) => each.replace(/。$/u, '.'))).toEqual(facts);
  });

  test.each([
    'Here is my parser, keep it:\n```ts\nconst a = 1;\nconst b = 2;\n```',
    'Here is my command:\n```sh\n' + 'restic backup '.repeat(60) + '\n```',
    'Mein Parser, bitte aufheben:\n```\na = 1\nb = 2\n```',
  ])('takes the sentence that introduces it with it, if it is long: %j', (text) => {
    expect(factsOf(text, speaker)).toEqual([]);
    const more = `Eva likes short functions. ${text}\nEva tests it on Mondays.`;
    expect(factsOf(more, speaker).toSorted()).toEqual(
      ['Eva likes short functions.', 'Eva tests it on Mondays.'].toSorted(),
    );
  });

  test('of one plain word is that word', () => {
    expect(factsOf('Objects older than `30` days are deleted by `kestrel`.', speaker)).toEqual([
      'Objects older than 30 days are deleted by kestrel.',
    ]);
  });
});
