import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createLexicalEmbedder } from '#providers/lexical/embedder.ts';
import { ANY_CHARACTER } from '#test/any-character.ts';

const embedder = createLexicalEmbedder();

async function vector(text: string): Promise<readonly number[]> {
  const [only] = await embedder.embed([text], { purpose: 'passage' });
  return only ?? [];
}

function cosine(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
}

async function similarity(a: string, b: string): Promise<number> {
  return cosine(await vector(a), await vector(b));
}

const anyText = fc.oneof(
  fc.string({ unit: ANY_CHARACTER, maxLength: 200 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.lorem({ maxCount: 20 }),
  fc.constantFrom('', ' ', '\ud800', '!!!', '\0', '\u0301', '🏳️‍🌈', 'a'.repeat(5_000)),
);

describe('lexical embedder', () => {
  test('LEXICAL-3: reports its generation, dimensions and quality', () => {
    expect(embedder).toMatchObject({
      generation: 'lexical-384-1',
      dimensions: 384,
      quality: 'keyword',
    });
  });

  test('LEXICAL-4: gives any text a single-precision vector of length 1', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, async (text) => {
        const own = await vector(text);
        expect(own).toHaveLength(384);
        expect(own.every((value) => Object.is(Math.fround(value), value))).toBe(true);
        expect(cosine(own, own)).toBeCloseTo(1, 5);
      }),
    );
  });

  test('LEXICAL-4: gives the same text the same vector, whatever came before it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyText, { minLength: 1, maxLength: 5 }), async (texts) => {
        const fresh = await createLexicalEmbedder().embed(texts, { purpose: 'passage' });
        expect(await embedder.embed(texts, { purpose: 'passage' })).toEqual(fresh);
        expect(await vector(texts[0] ?? '')).toEqual(fresh[0]);
      }),
      { numRuns: 40 },
    );
  });

  test('LEXICAL-4: keeps the vectors of this generation unchanged', async () => {
    const own = await vector('Deploys are frozen on Fridays.');
    const largest = own.reduce((best, value, at) => {
      return Math.abs(value) > Math.abs(own[best] ?? 0) ? at : best;
    }, 0);
    expect([largest, own[largest]?.toFixed(6)]).toEqual([21, '-0.468498']);
  });

  test('LEXICAL-5: gives texts without words one fixed vector, far from other texts', async () => {
    const empty = await vector('');
    expect(await vector(' \n\t')).toEqual(empty);
    expect(new Set(empty).size).toBe(1);
    expect(Math.abs(await similarity('', 'Deploys are frozen on Fridays'))).toBeLessThan(0.2);
    expect(await vector('!!!')).not.toEqual(empty);
  });

  test.each([
    ['words in common', 'Deploys are frozen on Fridays', 'No deploys on Friday afternoon'],
    ['stems', 'The team was deploying services', 'deployed service of the team'],
    ['an identifier in parts', 'userId is missing in the request', 'the request has no user id'],
    ['other spellings', 'read max_retry_count first', 'where is maxRetryCount read'],
    ['a typo', 'kubernetes operator reconciles tenants', 'kuberntes operater of a tenant'],
    ['case and width', 'ＧＰＴ latency budget', 'gpt LATENCY'],
    ['German', 'Die Bereitstellung ist am Freitag gesperrt', 'Freitags keine Bereitstellungen'],
    ['Russian', 'Пользователь предпочитает короткие ответы', 'короткий ответ пользователю'],
    ['Japanese', '東京の会議は三時から', '会議は東京で'],
    ['Chinese', '今天的会议讨论了部署计划', '部署计划是什么'],
  ])(
    'LEXICAL-6: puts a related text nearer than an unrelated one: %s',
    async (_, text, related) => {
      const near = await similarity(text, related);
      for (const unrelated of [
        'Anna brought a cake for the birthday party',
        'Die Katze schläft unter dem Tisch und träumt',
        'Вчера шёл сильный дождь',
        '猫は庭で寝ている',
      ]) {
        expect(near).toBeGreaterThan((await similarity(text, unrelated)) + 0.1);
      }
    },
  );

  test('LEXICAL-6: gives word order a little weight, and grammar almost none', async () => {
    const text = 'payment service owns the ledger';
    const sameOrder = await similarity(text, 'the payment service owns a ledger');
    const otherOrder = await similarity(text, 'ledger service owns the payment');
    expect(sameOrder).toBeGreaterThan(otherOrder);
    expect(otherOrder).toBeGreaterThan(0.6);
  });

  test('LEXICAL-7: stops an aborted call', async () => {
    await expect(
      embedder.embed(['text'], { purpose: 'passage', signal: AbortSignal.abort() }),
    ).rejects.toMatchObject({
      code: 'CANCELLED',
    });
  });

  test('LEXICAL-8: lets other work run between texts', async () => {
    const texts = Array.from({ length: 4_000 }, (_, at) => {
      return `Decision ${at}: service-${at % 97} moves to region ${at % 13} before the freeze.`;
    });
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 1);
    const started = performance.now();
    const vectors = await embedder.embed(texts, { purpose: 'passage' });
    const perSecond = (texts.length / (performance.now() - started)) * 1_000;
    clearInterval(timer);
    console.log(`lexical embedding: ${Math.round(perSecond)} texts/s`);
    expect(vectors).toHaveLength(texts.length);
    expect(turns).toBeGreaterThan(5);
  });
});
