/** Changes that their speaker takes back as a joke in the next turn. */
import { describe, expect, test } from 'vitest';
import { jokedTurns } from '#core/extraction/joked-turns.ts';

const SAID = {
  en: 'I moved to Porto!',
  de: 'Ich bin nach Wien gezogen!',
  es: '¡Me mudé a Madrid!',
  zh: '我搬到北京了！',
} as const;

function user(content: string, speaker: string | null = null) {
  return { role: 'user', speaker, content };
}
const REPLY = { role: 'assistant', speaker: null, content: 'Good to know.' };

const JOKES: readonly (readonly [keyof typeof SAID, string])[] = [
  ['en', 'Just kidding!'],
  ['en', 'jk'],
  ['en', 'Haha no, I was joking.'],
  ['en', 'Haha! Just kidding.'],
  ['en', 'Just kidding about Porto.'],
  ['en', 'That was a joke of course.'],
  ['en', 'just kidding, still in Leeds'],
  ['en', 'Just kidding! What shall we cook?'],
  ['en', 'Got you!'],
  ['en', 'Gotcha!'],
  ['en', 'April fools!'],
  ['en', 'It was a prank.'],
  ['en', 'I was just messing with you.'],
  ['en', 'I was pulling your leg.'],
  ['de', 'Das war nur ein Witz.'],
  ['de', 'War nur Spaß!'],
  ['de', 'Kleiner Scherz, bin immer noch hier.'],
  ['de', 'Nein, nur Spaß.'],
  ['es', 'Es broma.'],
  ['es', 'Era broma, sigo en Gijón.'],
  ['es', 'Solo era una broma.'],
  ['es', 'Estaba bromeando.'],
  ['es', 'Te estaba tomando el pelo.'],
  ['zh', '开玩笑的。'],
  ['zh', '开玩笑的,我还在广州。'],
  ['zh', '逗你玩的。'],
  ['zh', '骗你的。'],
  ['zh', '我开玩笑的啦！'],
];

const SERIOUS: readonly (readonly [keyof typeof SAID, string])[] = [
  ['en', 'No kidding!'],
  ['en', 'Not kidding!'],
  ['en', 'You must be joking.'],
  ['en', 'Just kidding?'],
  ['en', 'Kidding aside, it is great.'],
  ['en', 'That was a good joke.'],
  ['en', 'Haha good one'],
  ['en', 'Just kidding about the weather.'],
  ['en', 'My colleague said I was just kidding, but no.'],
  ['en', 'And my cat speaks Portuguese. Just kidding.'],
  ['de', 'Kein Scherz.'],
  ['de', 'Erzähl mir einen Witz.'],
  ['de', 'Viel Spaß!'],
  ['es', 'No es broma.'],
  ['es', '¿Es broma?'],
  ['es', 'Cuéntame una broma.'],
  ['zh', '没开玩笑。'],
  ['zh', '不是开玩笑的。'],
  ['zh', '你在开玩笑吗？'],
];

describe('a change', () => {
  test.each(JOKES)('%s: is a joke if the user next says "%s"', (language, next) => {
    const said = SAID[language];
    const joked = jokedTurns([user(said), REPLY, user(next)]);
    expect([...joked]).toEqual([[0, { sentences: [said], by: 2 }]]);
  });

  test.each(SERIOUS)('%s: is none if the user next says "%s"', (language, next) => {
    expect(jokedTurns([user(SAID[language]), user(next)]).size).toBe(0);
  });

  test.each([
    ['another turn is between', [user(SAID.en), user('Tell me a joke.'), user('Just kidding!')]],
    ['somebody else says so', [user(SAID.en, 'Ann'), user('Just kidding!', 'Bob')]],
    [
      'the assistant says so',
      [user(SAID.en), { role: 'assistant', speaker: null, content: 'Just kidding!' }],
    ],
    ['the turn says what harms', [user('I am allergic to nuts.'), user('Just kidding!')]],
  ])('is none if %s', (_, turns) => {
    expect(jokedTurns(turns).size).toBe(0);
  });

  test('is taken back without what its turn says beside it', () => {
    const said = user('I am allergic to nuts. I moved to Porto!');
    const [joke] = jokedTurns([said, user('Just kidding!')]).values();
    expect(joke?.sentences).toEqual(['I moved to Porto!']);
  });
});
