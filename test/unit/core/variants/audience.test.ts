import { describe, expect, test } from 'vitest';
import { audienceOf, personalizationContext, scopeOfAudience } from '#core/variants/audience.ts';
import { LAYERS, type Layer } from '#core/layer.ts';
import type { TokenCounter } from '#core/ports/token-counter.ts';
import { DEPTH_TOKENS_MAX } from '#core/records/summary.ts';

const tokens: TokenCounter = { name: 'words', count: (text) => text.split(/\s+/).length };
const BOTH = { userId: 'ann', sessionId: 'call' };
const depth = (text: string) => ({ text, tokens: 0, sentences: [], cut: false });

describe('an audience', () => {
  test.each<[Layer, Record<string, string>, string | null]>([
    ['project', BOTH, 'user:ann'],
    ['project', { sessionId: 'call' }, 'session:call'],
    ['project', { projectId: 'shop' }, null],
    ['user', BOTH, 'session:call'],
    ['user', { userId: 'ann' }, null],
    ['session', BOTH, 'user:ann'],
    ['session', { sessionId: 'call' }, null],
    ['company', { userId: 'a:b' }, 'user:a:b'],
  ])('for a read of the %s layer by %j is %s', (layer, identifiers, audience) => {
    expect(audienceOf(layer, identifiers)).toBe(audience);
  });

  test('is resolved from its key, and never in the layer that it reads', () => {
    for (const layer of LAYERS) {
      const audience = audienceOf(layer, { userId: 'a:b', sessionId: 'c' });
      const own = audience === null ? null : scopeOfAudience('acme', audience);
      const expected = layer === 'user' ? ['session', 'c'] : ['user', 'a:b'];
      expect([own?.layer, own?.scopeId]).toEqual(expected);
      expect(own?.layer).not.toBe(layer);
    }
  });

  test.each(['', 'user', 'user:', 'team:shop', 'users:ann'])(
    'is not named by a key such as "%s"',
    (audience) => {
      expect(scopeOfAudience('acme', audience)).toBeNull();
    },
  );
});

describe('the context of a variant', () => {
  test.each<[string, Record<string, string>, string | null]>([
    ['the paragraph', { sentence: 'Short.', paragraph: 'Longer.', detailed: 'All.' }, 'Longer.'],
    ['the sentence', { sentence: 'Short.', detailed: 'All.' }, 'Short.'],
    ['the detailed text', { detailed: 'All.' }, 'All.'],
    ['nothing, without facts', { paragraph: '' }, null],
    ['nothing, without a text', {}, null],
  ])("is %s of the audience's own summary", (_, texts, expected) => {
    const depths = Object.fromEntries(Object.entries(texts).map(([at, text]) => [at, depth(text)]));
    expect(personalizationContext({ depths }, tokens)).toBe(expected);
  });

  test('is never longer than a paragraph, and null if nothing is known', () => {
    const words = Array.from({ length: 900 }, (_, n) => `word${String(n)}`).join(' ');
    const context = personalizationContext({ depths: { detailed: depth(words) } }, tokens);
    expect(tokens.count(context ?? '')).toBeLessThanOrEqual(DEPTH_TOKENS_MAX.paragraph);
    expect(context).toContain('word0 ');
    expect(personalizationContext(null, tokens)).toBeNull();
  });
});
