/** The name in front of what somebody says. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { speakerLabel, labeledLine } from '#core/text/speaker-label.ts';
import { ANY_CHARACTER } from '#test/any-character.ts';

/** The longest name that an operation takes. */
const NAME_UNITS_MAX = 256;
const ROLES = ['user', 'human', 'assistant', 'tool', 'system'];

describe('a speaker', () => {
  test.each([
    ['Ben', 'Ben: '],
    ['Íñigo de la Cruz', 'Íñigo de la Cruz: '],
    ['Ben (Sales)', 'Ben (Sales): '],
    ['王伟', '王伟: '],
    ['user', 'user: '],
    ['ben', '“ben”: '],
    ['@ben', '“@ben”: '],
    ['ben@x.com', '“ben@x.com”: '],
    ['+49 151 9876', '“+49 151 9876”: '],
    ['Owner', '“Owner”: '],
    ['note', '“note”: '],
    ['佐藤', '“佐藤”: '],
    ['سامي', '“سامي”: '],
    ['Team: Ben', '“Team: Ben”: '],
    ['Maria of the Very Long Family Name Smith', '“Maria of the Very Long Family Name Smith”: '],
    ['  Ben\n Smith ', 'Ben Smith: '],
    ['Ben “the Bear” Smith', '“Ben "the Bear" Smith”: '],
    [' ', ''],
  ])('%j is named %j', (speaker, prefix) => {
    expect(speakerLabel(speaker)).toBe(prefix);
  });

  test('is read as the name that was written, whatever the name', () => {
    const name = fc
      .string({ unit: ANY_CHARACTER, minLength: 1, maxLength: NAME_UNITS_MAX })
      .filter((text) => text.length <= NAME_UNITS_MAX)
      .map((text) => text.replaceAll(/[\s\p{Cc}“”]+/gu, ' ').trim())
      .filter((text) => text !== '' && !ROLES.includes(text));
    fc.assert(
      fc.property(name, (speaker) => {
        const said = 'I am not allergic to nuts.';
        expect(labeledLine(`${speakerLabel(speaker)}${said}`)).toEqual({ speaker, said });
      }),
    );
  });

  test.each([
    'Note: I am vegan.',
    'Warning: I am allergic to nuts.',
    'note: I am vegan.',
    'btw: I moved to York',
    'One more thing: my boss is Ines.',
    'https://example.com is mine.',
    'At 10:30 I have a call.',
    '10:30: I have a call.',
    'user: I moved.',
    '任务: 我来测试。',
    '备注: 我不吃肉。',
    '“Dune”, my favourite: I read it twice.',
    'übrigens: ich wohne in Bonn',
    'Nota: vivo en Madrid.',
    'Hinweis: Ich bin Vegetarier.',
    'Deadline (May): I ship on the 3rd.',
    'una cosa: soy alérgica a las nueces.',
  ])('does not begin: %s', (line) => {
    expect(labeledLine(line)).toBeNull();
  });
});
