/** A line of MEMORY.md and the daily note with the same words are shown once. */
import { describe, expect, test } from 'vitest';
import { newTenant, sharedLibrary } from './open-library.ts';

const library = sharedLibrary();
const subject = { kind: 'user', id: 'zoe' } as const;
const identifiers = { userId: 'zoe' };
const DAY_MS = 86_400_000;

interface Written {
  readonly notes: readonly { readonly text: string; readonly daysAgo: number }[];
  /** As a person writes it; null if a dream makes it of the first note. */
  readonly memory: string | null;
}

async function shown({ notes, memory }: Written, query: string) {
  const tenant = newTenant();
  const { context, daily, document, dream, memory: memories } = library().varve;
  const at = (daysAgo: number): number => Date.now() - daysAgo * DAY_MS;
  const [first, ...later] = notes;
  if (first === undefined) throw new Error('No note is there.');
  await daily.append({ tenant, subject, text: first.text, at: at(first.daysAgo) });
  if (memory === null) await dream.run({ tenant, subject, lookbackDays: 9 });
  else await document.edit({ tenant, subject, text: memory, expectedVersion: 0 });
  for (const { text, daysAgo } of later) {
    await daily.append({ tenant, subject, text, at: at(daysAgo) });
  }
  const { text } = await context.assemble({ tenant, identifiers, query, maxTokens: 400 });
  const { hits } = await memories.search({ tenant, identifiers, query, threshold: 0 });
  return {
    lines: text.split('\n').flatMap((line) => /^(?:MEMORY|memory\/\S+)\.md: .*$/u.exec(line) ?? []),
    hits: hits.map((hit) => hit.text),
  };
}

const note = (text: string, daysAgo = 1) => ({ text, daysAgo });

describe('a line of MEMORY.md with the words of a daily note', () => {
  test.each([
    ['Zoe sold the Fiat and drives a Skoda.', 'Which car does Zoe drive?'],
    ['The auditors meet Zoe tomorrow in Oslo.', 'Whom do the auditors meet?'],
    ['Zoe wohnt jetzt in Bonn am Rhein.', 'Wo wohnt Zoe?'],
    ['La taquilla de Zoe es la 41.', '¿Qué taquilla tiene Zoe?'],
    ['佐伊住在上海。', '佐伊住在哪里？'],
  ])('is shown in place of the note that a dream took it from: %s', async (text, query) => {
    const { lines, hits } = await shown({ notes: [note(text)], memory: null }, query);
    expect(lines).toEqual([expect.stringMatching(/^MEMORY\.md: /u)]);
    expect(hits).toHaveLength(1);
  });

  test('is shown in place of an older note if a person wrote it', async () => {
    const written = {
      notes: [note('The locker of Zoe is 41.')],
      memory: '- The locker of Zoe is 41\n',
    };
    const { lines } = await shown(written, 'Which locker does Zoe have?');
    expect(lines).toEqual([expect.stringMatching(/^MEMORY\.md: /u)]);
  });

  test('gives way to a later note, which says since when it holds again', async () => {
    const text = 'The locker of Zoe is 41.';
    const notes = [note(text, 2), note('The locker of Zoe is 52.'), note(text, 0)];
    const { lines } = await shown({ notes, memory: null }, 'Which locker does Zoe have?');
    expect(lines).toEqual([
      expect.stringMatching(/^memory\/\S+: The locker of Zoe is 52\./u),
      expect.stringMatching(/^memory\/\S+: The locker of Zoe is 41\.$/u),
    ]);
  });

  test.each([
    ['The locker of Zoe is 41.', 'The locker of Zoe is 41 and has a blue door.'],
    ['The locker of Zoe is 41.', 'The locker of Bob is 41.'],
    ['Zoe parks at the gym.', 'Zoe parks at the old gym.'],
    ['At the gym Zoe writes C.', 'At the gym Zoe writes C++.'],
  ])('is shown beside a note that says something else: %s %s', async (one, other) => {
    const notes = [note(one), note(other, 0)];
    const { lines } = await shown({ notes, memory: null }, 'What about Zoe, the locker and gym?');
    expect(lines.join('\n')).toContain(one);
    expect(lines.join('\n')).toContain(other);
  });
});
