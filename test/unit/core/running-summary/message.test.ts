import { describe, expect, test } from 'vitest';
import { isImage, plainTextOf, textOf, type ContentBlock } from '#core/running-summary/message.ts';
import { messageOf } from './messages.ts';

const shown = (...content: readonly ContentBlock[]) => plainTextOf(messageOf({ content }));

describe('a message for a model without tools', () => {
  test('is left as it is if it is plain text', () => {
    expect(plainTextOf(messageOf())).toBeNull();
  });

  test.each<[string, ContentBlock, string]>([
    ['a string as it is', 'Hello.', 'Hello.'],
    ['a text block of any provider as it is', { type: 'output_text', text: 'Hello.' }, 'Hello.'],
    [
      'an image by its URL',
      { type: 'image', url: 'https://a.b/c.png' },
      '[image https://a.b/c.png]',
    ],
    [
      'an image of another format by its URL',
      { type: 'image_url', image_url: { url: 'https://a.b/c.png' } },
      '[image https://a.b/c.png]',
    ],
    ['an image without its bytes', { type: 'image', url: 'data:image/png;base64,AA' }, '[image]'],
    ['an image without a URL that is too long', { type: 'image', url: 'x'.repeat(513) }, '[image]'],
    [
      'an image with a long URL',
      { type: 'image', url: 'x'.repeat(512) },
      `[image ${'x'.repeat(512)}]`,
    ],
    [
      'an image with an unknown URL format as a placeholder',
      { type: 'input_image', image_url: { at: 1 } },
      '[image]',
    ],
    ['an image without a URL as a placeholder', { type: 'image', url: null }, '[image]'],
    ['a file by its URL', { type: 'file', url: 'https://a.b/c.pdf' }, '[file https://a.b/c.pdf]'],
    ['audio by its type', { type: 'input_audio', data: 'AA' }, '[input_audio]'],
    ['anything else as data', { type: 'place', lat: 1 }, '{"type":"place","lat":1}'],
    ['a block without a type as data', { lat: 1 }, '{"lat":1}'],
    ['an invalid text as data', { type: 'text', text: 1 }, '{"type":"text","text":1}'],
    ['too much data by its type', { type: 'place', at: 'x'.repeat(2_000) }, '[place]'],
    ['too much data without a type', { at: 'x'.repeat(2_000) }, '[part]'],
  ])('shows %s', (_, block, expected) => {
    expect(shown(block)).toBe(expected);
  });

  test('shows data of up to 2,000 characters', () => {
    const around = JSON.stringify({ at: '' }).length;
    const block = { at: 'x'.repeat(2_000 - around) };
    expect(shown(block)).toBe(JSON.stringify(block));
    expect(shown({ at: `${block.at}x` })).toBe('[part]');
  });

  test.each(['tool_use', 'tool_call', 'thinking', 'reasoning', 'redacted_thinking'])(
    'leaves out a %s part, which is not what was said',
    (type) => {
      expect(shown({ type, text: 'secret' }, 'Hello.')).toBe('Hello.');
    },
  );

  test('names its tool calls, and the tool of a result', () => {
    const toolCalls = [
      { id: 'c-1', name: 'find', args: { of: 'Ann' } },
      { id: 'c-2', name: 'stop', args: undefined },
    ];
    const calls = messageOf({ role: 'assistant', content: 'I look.', toolCalls });
    expect(plainTextOf(calls)).toBe(
      'I look.\n[calls find with {"of":"Ann"}]\n[calls stop with null]',
    );
    const result = messageOf({ role: 'tool', name: 'find', content: 'Ann.' });
    expect(plainTextOf(result)).toBe('[result of find] Ann.');
    expect(plainTextOf({ ...result, name: null })).toBe('[result of a tool] Ann.');
  });
});

describe('the words of a message', () => {
  test('are only its texts, one per line', () => {
    expect(textOf('Hello.')).toBe('Hello.');
    const content = [
      'One.',
      { type: 'image', url: 'https://a.b/c.png' },
      { type: 'input_text', text: 'Two.' },
      { type: 'thinking', text: 'Hm.' },
      { type: 'text', text: 3 },
    ];
    expect(textOf(content)).toBe('One.\nTwo.');
  });

  test('do not include images', () => {
    const images = ['image', 'image_url', 'input_image'];
    expect(images.map((type) => isImage({ type }))).toEqual([true, true, true]);
    expect([isImage('image'), isImage({ type: 'text' }), isImage({})]).toEqual([
      false,
      false,
      false,
    ]);
  });
});
