import { describe, expect, test } from 'vitest';
import { DEPTH_TOKENS_MAX } from '#core/records/summary.ts';
import { newTenant, sharedLibrary } from './open-library.ts';

const library = sharedLibrary();
const eva = { userId: 'eva' };

type Said = readonly [day: string, content: string];

async function remember(tenant: string, ...said: readonly Said[]): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const [day, content] of said) {
    const at = `2026-${day}T10:00:00Z`;
    const asked = { tenant, layer: 'user', identifiers: eva, content, at } as const;
    ids.push((await library().varve.memory.add(asked)).memory.id);
  }
  return ids;
}

const refresh = (tenant: string) => library().varve.refresh({ tenant });
const get = (tenant: string, depth: 'sentence' | 'detailed' = 'detailed') =>
  library().varve.summary.get({ tenant, layer: 'user', identifiers: eva, depth });
const textOf = async (tenant: string) => (await get(tenant))?.text ?? '';

const TUESDAY = 'Eva has a dentist appointment on Tuesday, October 13, 2026 at 9:30.';
const THURSDAY = "Eva's dentist appointment moved to Thursday, October 15, 2026 at 14:00.";
const SHOWN = {
  tuesday: TUESDAY.replace(/\.$/u, ' (as of 2026-10-05).'),
  thursday: THURSDAY.replace(/\.$/u, ' (as of 2026-10-08).'),
};

describe('a summary made without a model', () => {
  test('dates and marks what a newer memory likely ends, until that memory is deleted', async () => {
    const tenant = newTenant();
    const [, newer = ''] = await remember(tenant, ['10-05', TUESDAY], ['10-08', THURSDAY]);
    await refresh(tenant);
    expect(await textOf(tenant)).toBe(`${SHOWN.tuesday} (earlier) ${SHOWN.thursday}`);
    await library().varve.memory.delete({ tenant, id: newer });
    expect(await textOf(tenant)).toBe(SHOWN.tuesday);
    await refresh(tenant);
    expect(await textOf(tenant)).toBe(TUESDAY);
  });

  test('has again what a newer memory certainly ended once that memory is deleted', async () => {
    const tenant = newTenant();
    const [, newer = ''] = await remember(
      tenant,
      ['10-05', 'The kitchen backup runs at 02:00.'],
      ['10-08', 'The kitchen backup runs at 04:00.'],
    );
    await refresh(tenant);
    const { sourceHash, text } = (await get(tenant)) ?? {};
    expect(text).toBe('The kitchen backup runs at 04:00 (as of 2026-10-08).');
    await library().varve.memory.delete({ tenant, id: newer });
    await refresh(tenant);
    const again = await get(tenant);
    expect(again?.text).toBe('The kitchen backup runs at 02:00.');
    expect(again?.sourceHash).not.toBe(sourceHash);
  });

  test('marks at once what a memory ends that it does not include yet', async () => {
    const tenant = newTenant();
    await remember(tenant, ['10-05', TUESDAY]);
    await refresh(tenant);
    await remember(tenant, ['10-08', THURSDAY]);
    expect(await textOf(tenant)).toBe(`${TUESDAY} (earlier) Since then: ${THURSDAY}`);
  });

  test('stays within the limit of each depth with its marks', async () => {
    const tenant = newTenant();
    const said = ['dentist', 'piano', 'chess', 'pottery', 'garden', 'school'].flatMap(
      (name): readonly Said[] => [
        ['10-05', `Eva has a ${name} appointment on Tuesday, October 13, 2026 at 9:30.`],
        ['10-08', `Eva's ${name} appointment moved to Thursday, October 15, 2026 at 14:00.`],
      ],
    );
    await remember(tenant, ...said);
    await refresh(tenant);
    for (const depth of ['sentence', 'detailed'] as const) {
      const summary = await get(tenant, depth);
      expect(summary?.text).toContain('moved to');
      expect(summary?.tokens).toBeLessThanOrEqual(DEPTH_TOKENS_MAX[depth]);
      for (const { text } of summary?.sentences ?? []) {
        expect(text.endsWith(' (earlier)')).toBe(text.includes('Tuesday'));
      }
    }
  });

  test('in a context has the marks of a search', async () => {
    const tenant = newTenant();
    await remember(tenant, ['10-05', TUESDAY], ['10-08', THURSDAY]);
    await refresh(tenant);
    const context = await library().varve.context.assemble({
      tenant,
      identifiers: eva,
      query: 'What do you know about me?',
      maxTokens: 1_000,
    });
    const tuesday = context.text.split('\n').filter((line) => line.includes('Tuesday'));
    expect(tuesday.length).toBeGreaterThan(0);
    for (const line of tuesday) expect(line).toContain('(earlier)');
    expect(context.text).not.toContain('(earlier) (earlier)');
  });

  test('begins with what holds, not with a task that is done', async () => {
    const tenant = newTenant();
    await remember(
      tenant,
      ['10-05', 'Open task: Eva must send the floor plan to Priya by Friday, October 9, 2026.'],
      ['10-15', 'Eva sent the floor plan to Priya.'],
      ['10-16', 'Eva has a cat called Nimbus.'],
    );
    await refresh(tenant);
    const { sentences = [] } = (await get(tenant, 'sentence')) ?? {};
    const shown = sentences.map(({ text }) => text).filter((text) => text.startsWith('Open task'));
    for (const text of shown) expect(text).toContain('(earlier)');
    expect(sentences.map(({ text }) => text).join(' ')).toContain('sent the floor plan');
  });

  test('has code as it was written, with the sentence that introduces it', async () => {
    const tenant = newTenant();
    await remember(
      tenant,
      ['10-05', 'Eva now backs up with `restic -r b2:vault backup ~/docs`.'],
      ['10-06', "Eva's deploy command:\n```sh\nmake -j4 release\n```\nIt needs the VPN."],
      ['10-07', "Eva's parser of ids:\n```ts\nconst a = 1;\nconst b = 2;\n```"],
    );
    await refresh(tenant);
    expect(await textOf(tenant)).toBe(
      'Eva now backs up with `restic -r b2:vault backup ~/docs`. ' +
        "Eva's deploy command: `make -j4 release`. It needs the VPN.",
    );
  });
});

describe('memories of a context', () => {
  test.each<[older: string, newer: string, query: string]>([
    [
      'Joel has cello lessons on Mondays.',
      "Joel's cello lessons are on Wednesdays now.",
      'On which Mondays has Joel cello lessons?',
    ],
    [
      'Tim hat montags Cellounterricht bei Frau Weber.',
      'Der Cellounterricht bei Frau Weber ist jetzt mittwochs.',
      'Wann hat Tim montags Cellounterricht?',
    ],
    [
      'Joel tiene clases de violonchelo los lunes.',
      'Las clases de violonchelo de Joel ahora son los miércoles.',
      '¿Joel tiene clases de violonchelo los lunes?',
    ],
  ])('has one that may correct another above it: "%s", "%s"', async (older, newer, query) => {
    const tenant = newTenant();
    await remember(tenant, ['10-05', older], ['10-20', newer]);
    const { text } = await library().varve.context.assemble({
      tenant,
      identifiers: eva,
      query,
      layerSummaries: false,
    });
    expect(text.indexOf(newer.slice(0, -1))).toBeGreaterThan(0);
    expect(text.indexOf(older.slice(0, -1))).toBeGreaterThan(text.indexOf(newer.slice(0, -1)));
  });
});
