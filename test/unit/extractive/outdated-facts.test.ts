import { countTokens } from 'gpt-tokenizer/encoding/cl100k_base';
import { describe, expect, test } from 'vitest';
import { extractFacts } from '#providers/extractive/extract-facts.ts';

const CAPS = { countTokens, maxTokens: 500, maxSentenceTokens: 50 };

/** Memories a day apart, the last one the newest. */
function factsOf(texts: readonly string[], caps: Partial<typeof CAPS> = {}): readonly string[] {
  const sources = texts.map((text, index) => ({
    id: `m${String(index)}`,
    text,
    at: new Date(Date.UTC(2026, 0, 1 + index)).toISOString(),
  }));
  return extractFacts(sources, { ...CAPS, ...caps }).map(({ text }) => text);
}

const day = (text: string, date: string) =>
  text.replace(/[.。]?$/u, (stop) => ` (as of ${date})${stop}`);
const OTHERS = ['Ann plays the cello.', 'Ann has a dog called Rex.'];

describe('a memory that a newer one of the same scope replaces', () => {
  test.each([
    ['Ann drives a Honda.', 'I sold the Honda.'],
    ['The backup runs at 02:00.', 'The backup runs at 04:00.'],
    ['Ann lives in Rome.', 'Ann moved to Oslo.'],
    ['Ich wohne in Köln.', 'Ich bin nach Bonn gezogen.'],
    ['Vivo en Sevilla.', 'Me mudé a Granada.'],
    ['我住在上海。', '我搬到杭州了。'],
  ])('is left out if it has certainly ended: "%s" after "%s"', (older, newer) => {
    const facts = factsOf([older, ...OTHERS, newer]);
    expect(facts.toSorted()).toEqual([...OTHERS, day(newer, '2026-01-04')].toSorted());
  });

  test.each([
    [
      'Ann has a dentist appointment on Tuesday, October 13, 2026 at 9:30.',
      "Ann's dentist appointment moved to Thursday, October 15, 2026 at 14:00.",
    ],
    ['The budget for the kitchen is 14,000 pounds.', 'The kitchen budget is 16,500 pounds now.'],
    ['Ann has cello lessons on Mondays.', "Ann's cello lessons are on Wednesdays now."],
    ['Open task: Ann must send the plan to Ben by Friday.', 'Ann sent the plan to Ben.'],
    ['Ann muss den Klempner anrufen.', 'Ann hat den Klempner angerufen.'],
    ['Tim hat montags Cellounterricht.', 'Tims Cellounterricht ist jetzt mittwochs.'],
    [
      'El presupuesto de la cocina es de 14.000 euros.',
      'El presupuesto de la cocina ahora es 16.500 euros.',
    ],
    ['厨房的预算是一万四千元。', '厨房的预算现在改成一万六千元了。'],
  ])('has its day beside the day of the newer one: "%s", "%s"', (older, newer) => {
    const facts = factsOf([older, ...OTHERS, newer]);
    const shown = facts.filter((fact) => !OTHERS.includes(fact));
    expect(shown).toContain(day(newer, '2026-01-04'));
    expect([day(older, '2026-01-01'), day(newer, '2026-01-04')]).toEqual(
      expect.arrayContaining(shown),
    );
    expect(facts.length - shown.length).toBe(OTHERS.length);
  });

  test('is not shown where there is room for only one of them', () => {
    const older = 'Ann has a dentist appointment on Tuesday, October 13, 2026 at 9:30.';
    const newer = "Ann's dentist appointment moved to Thursday, October 15, 2026 at 14:00.";
    const facts = factsOf([older, newer], { maxTokens: 40 });
    expect(facts).toEqual([day(newer, '2026-01-02')]);
  });

  test.each([
    ['Ann likes tea.', 'Ann likes coffee.'],
    ['Ann is allergic to peanuts.', 'Ann now has a cat.'],
    ['Ann has a standing meeting with Tom on Mondays.', 'Ann has a meeting with Lea on Tuesday.'],
    ['Ich mag Tee.', 'Ich habe jetzt einen Hund.'],
    ['Me gusta el té.', 'Ahora tengo un perro.'],
    ['我喜欢喝茶。', '我现在有一只狗。'],
  ])('stays without a day if both hold: "%s", "%s"', (older, newer) => {
    expect(factsOf([older, newer]).toSorted()).toEqual([older, newer].toSorted());
  });
});

describe('a retraction', () => {
  test.each([
    ["I can't eat gluten.", 'Forget what I said about gluten.'],
    ['Ich wohne in Lyon.', 'Vergiss bitte, dass ich in Lyon wohne.'],
    ['No como gluten.', 'Olvida lo que dije del gluten.'],
    ['我对麸质过敏。', '忘了我说的关于麸质的事。'],
  ])('is left out with what it takes back: "%s", "%s"', (said, back) => {
    expect(factsOf([said, ...OTHERS, back]).toSorted()).toEqual([...OTHERS].toSorted());
    expect(factsOf([said, back])).toEqual([]);
    expect(factsOf([back])).toEqual([]);
    expect(factsOf([back, said, ...OTHERS])).toContain(said);
  });

  test('leaves what also says something else, and what is beside it in its message', () => {
    const allergic = "I'm allergic to nuts and gluten.";
    const back = 'My cat is called Luna. Forget what I said about gluten. I work at Siemens.';
    expect(factsOf([allergic, ...OTHERS, back]).toSorted()).toEqual(
      [allergic, ...OTHERS, 'My cat is called Luna.', 'I work at Siemens.'].toSorted(),
    );
  });
});
