import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readEntries } from '#providers/openai/json-in-answer.ts';

const FACT = { text: 'Ann said: "{no} \\ [brace]".', sources: ['s1'], quote: null, speaker: null };
const ONE = { item: 'i1', facts: [FACT] };
const TWO = { item: 'i2', kept: ['s2'] };
const ENDS = { item: 'i1', facts: [{ ...FACT, text: 'Thoughts end at </think> there.' }] };
const THREE = { item: 'i3', facts: [FACT, FACT, FACT] };
const TWO_OF_THREE = { item: 'i3', facts: [FACT, FACT], cut: true };
const ONE_CUT = { ...ONE, cut: true };
const TWO_CUT = { ...TWO, cut: true };
const CHOICE = { item: 'i1', kept: ['s1', 's2'], cut: true };
const WHOLE = JSON.stringify({ items: [ONE, TWO] });
const cut = (text: string, characters: number) => text.slice(0, text.length - characters);

describe('readEntries', () => {
  test.each<[string, string, readonly unknown[]]>([
    ['JSON', WHOLE, [ONE, TWO]],
    ['JSON over many lines', JSON.stringify({ items: [ONE, TWO] }, null, 2), [ONE, TWO]],
    ['only a list', JSON.stringify([ONE, TWO]), [ONE, TWO]],
    ['only one item', JSON.stringify(ONE), [ONE]],
    ['consecutive items', `${JSON.stringify(ONE)}\n${JSON.stringify(TWO)}`, [ONE, TWO]],
    ['a code fence', `\`\`\`json\n${WHOLE}\n\`\`\``, [ONE, TWO]],
    ['prose on both sides', `Sure! {Here} it "is:\n${WHOLE}\nIs it "good"? {}`, [ONE, TWO]],
    ['thoughts before it', `<think>{"items":[{"facts":[]}]}</think>${WHOLE}`, [ONE, TWO]],
    ['thoughts with half a draft', `<think>{"items":[{"item": "i…</think>${WHOLE}`, [ONE, TWO]],
    ['thoughts without a beginning', `{"facts":[7]}? No.</think>\n${WHOLE}`, [ONE, TWO]],
    ['half a draft without a beginning', `So {"items":[{"item</think>${WHOLE}`, [ONE, TWO]],
    ['a fact with the end tag of thoughts', JSON.stringify({ items: [ENDS, TWO] }), [ENDS, TWO]],
    [
      'a fact with that tag in a fence',
      `\`\`\`\n${JSON.stringify({ items: [ENDS, TWO] })}`,
      [ENDS, TWO],
    ],
    ['a fact with that tag, cut off', cut(JSON.stringify({ items: [ENDS, TWO] }), 2), [ENDS, TWO]],
    ['an end that was cut off', cut(WHOLE, 2), [ONE, TWO]],
    ['a second item that was cut off in its first label', cut(WHOLE, 5), [ONE]],
    ['a second item that was cut off in its list', cut(WHOLE, 4), [ONE, TWO_CUT]],
    ['a first item that was cut off', cut(JSON.stringify({ items: [ONE] }), 5), []],
    ['a fact that was cut off', cut(JSON.stringify({ items: [THREE] }), 9), [TWO_OF_THREE]],
    ['only an item that was cut off', cut(JSON.stringify(THREE), 9), [TWO_OF_THREE]],
    ['only a list that was cut off', cut(JSON.stringify([ONE, THREE]), 9), [ONE, TWO_OF_THREE]],
    ['a choice that was cut off', '{"items":[{"item":"i1","kept":["s1","s2","s', [CHOICE]],
    ['a choice that was cut off at its comma', '{"item":"i1","kept":["s1","s2",', [CHOICE]],
    ['an item that was cut off after its list', `${cut(JSON.stringify(ONE), 1)},"kept`, [ONE_CUT]],
    ['an item that was cut off before its list', '{"items":[{"item":"i1","facts":[', []],
    ['an item that was cut off in an empty list', '{"item":"i1","facts":[],"kept":[', []],
    ['a text that was cut off', '{"items":[{"item":"i1","facts":[{"text":"Ann {', []],
    ['an empty list', '{"items":[]}', []],
    ['malformed entries', '{"items":[7,null,"x"]}', [7, null, 'x']],
    ['another shape', '{"summaries":[{"text":"x"}]}', []],
    ['prose', 'I am glad to help.', []],
    ['only a fact', JSON.stringify(FACT), []],
    ['nothing', '', []],
  ])('reads %s', (_, text, expected) => {
    expect(readEntries(text)).toEqual(expected);
  });

  const items = fc.array(
    fc.record({ item: fc.string(), facts: fc.array(fc.record({ text: fc.string() })) }),
    { minLength: 1, maxLength: 6 },
  );

  test('reads all items of an answer, whatever follows it', () => {
    fc.assert(
      fc.property(items, fc.string(), (entries, after) => {
        expect(readEntries(`${JSON.stringify({ items: entries })}\n${after}`)).toEqual(entries);
      }),
    );
  });

  test('reads exactly the whole facts before a cut at any place', () => {
    fc.assert(
      fc.property(items, fc.nat(), (entries, place) => {
        const whole = JSON.stringify({ items: entries });
        const at = place % whole.length;
        expect(readEntries(whole.slice(0, at))).toEqual(wholeBefore(entries, at));
      }),
    );
  });

  test('reads many hostile braces in one pass', () => {
    const text = '{"items":'.repeat(50_000) + '}'.repeat(50_000);
    expect(readEntries(text)).toEqual([]);
    expect(readEntries('{'.repeat(200_000))).toEqual([]);
    expect(readEntries('{"facts":['.repeat(50_000))).toEqual([]);
    expect(readEntries(`{"items":[${'[{"facts":[7],'.repeat(50_000)}`)).toHaveLength(1);
    expect(readEntries('{"a":"</think>'.repeat(50_000))).toEqual([]);
    expect(
      readEntries(JSON.stringify({ items: Array.from({ length: 500 }, () => ONE) })),
    ).toHaveLength(100);
  });
});

type Entry = Readonly<{ item: string; facts: readonly object[]; cut?: true }>;

/** What an answer says up to a place: items, and facts of the item that the place is in. */
function wholeBefore(entries: readonly Entry[], at: number): readonly Entry[] {
  const said: Entry[] = [];
  let place = '{"items":['.length;
  for (const { item, facts } of entries) {
    const whole: object[] = [];
    let end = place + JSON.stringify({ item, facts: [] }).length - ']}'.length;
    for (const fact of facts) {
      end += JSON.stringify(fact).length + (fact === facts[0] ? 0 : 1);
      if (end <= at) whole.push(fact);
    }
    place += JSON.stringify({ item, facts }).length;
    if (place <= at) said.push({ item, facts });
    else if (whole.length > 0) said.push({ item, facts: whole, cut: true });
    place += ','.length;
  }
  return said;
}
