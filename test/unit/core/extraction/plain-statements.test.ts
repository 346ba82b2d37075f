/** Plain statements: what people say of themselves in passing, in four languages. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { extract, type Extracted } from '#core/extraction/extract-statements.ts';
import { CHANGE_TOPIC, DONE_TOPIC } from '#core/extraction/statement.ts';

const AT = Date.parse('2026-11-03T10:00:00Z');

function said(content: string): readonly Extracted[] {
  return extract([{ id: 'm', role: 'user', speaker: null, content, at: AT }]);
}

/** The texts of the memories that a message makes, if nothing is known. */
function kept(content: string): readonly string[] {
  return said(content)
    .filter(({ statement: { topic, isMentioned } }) => {
      const endsOnly = (topic === CHANGE_TOPIC && isMentioned) || topic === DONE_TOPIC;
      return !endsOnly;
    })
    .map(({ text }) => text);
}

describe('a plain statement becomes a memory in its own words', () => {
  test.each([
    'Swiss spelling in everything you write.',
    "I'm in a choir in Leeds.",
    'When you quote prices use Swiss francs.',
    'En este repo nada de clases, nunca.',
    '以后文档都用英文写',
    'I took over the Baltic region from Jonas.',
    'The staging server is at stage.example.dev.',
    'I run a small bakery in Porto with my brother.',
    'My daughter Lena turns 6 on March 3rd.',
    "I've been vegan for two years now.",
    'Our team uses Rust for the backend and Svelte for the frontend.',
    'The budget for the kitchen is 12,000 euros.',
    "I'm pregnant, due in August.",
    'I drive a 2014 Honda Civic.',
    'My sister is allergic to cats.',
    'I graduated in 2019.',
    'Wir heiraten im September in der Toskana.',
    'Unsere Hündin Frieda ist schon 13.',
    'Der Backup-Server heißt nas-keller und läuft unter Debian 12.',
    'Mein Bruder Tom ist 2 Meter groß.',
    'Tengo dos hijos mellizos.',
    'No tengo hijos.',
    'El presupuesto aprobado son 48.000 euros.',
    'Mi perrita Canela tiene soplo en el corazón.',
    '我老家在泉州，大学以后一直在武汉。',
    '我们店叫山茶，卖手冲咖啡。',
    '女儿朵朵上小学二年级。',
    'The warehouse runs on Snowflake, account 4.',
    'Paola está embarazada, nace en febrero',
    '老板叫王磊，要求特别高',
  ])('%s', (content) => {
    expect(kept(content)).toEqual([content]);
  });
});

describe('only what a message states is kept, not what it asks', () => {
  test.each([
    [
      'I take 50mcg levothyroxine every morning, is it ok to drink coffee right after?',
      ['I take 50mcg levothyroxine every morning'],
    ],
    [
      "Just so you know, I'm a nurse, mostly night shifts, so if I write at 4 that's normal",
      ["I'm a nurse, mostly night shifts"],
    ],
    // An address that goes on behind its request, and a verb that needs the word before it.
    ['Send the parcels to 4 Elm Road, Leeds, we rent in York.', ['we rent in York.']],
    ['Please add the report for Leeds, North office too, I work there.', ['I work there.']],
    ['Übrigens fahre ich einen alten Golf.', ['Übrigens fahre ich einen alten Golf.']],
    ['Ach ja, übrigens wohnen wir in Bonn.', ['übrigens wohnen wir in Bonn.']],
    [
      'Our landlord is called Mr. Haddad, draft him a polite email about the mould.',
      ['Our landlord is called Mr. Haddad'],
    ],
    [
      'Please remember: the staging server is stage-2.lumenlab.io, port 8443.',
      ['the staging server is stage-2.lumenlab.io, port 8443.'],
    ],
    ['Mein Rucksack hat 38 Liter, erstell mir mal eine Packliste.', ['Mein Rucksack hat 38 Liter']],
    ['Calzo un 45, ¿hay alpargatas decentes de ese número?', ['Calzo un 45']],
    ['我左耳听不见，能不能打开字幕？', ['我左耳听不见']],
    ['I am allergic to nuts, can I eat this cake?', ['I am allergic to nuts']],
    ['I have 3 kids and 40 euros, how much is left for each?', ['I have 3 kids and 40 euros']],
  ])('%s', (content, texts) => {
    expect(kept(content)).toEqual(texts);
  });
});

describe('what does not last, or is not the speaker’s word, is left out', () => {
  test.each([
    'Adapt this paragraph:\nI run a hotel in Nice. We have 12 rooms.',
    'Brauche drei weitere Fragen in dem Stil:\n1. Ich arbeite gern mit Zahlen.',
    'You are a journalist and I am a mayor of Bath with 3 scandals.',
    'Tú eres el médico y yo soy paciente desde 2019.',
    "I'm at the dentist in Hove.",
    'We cut the CFO off twice.',
    'Refactor the parser so I can read it, version 2',
    'My parser throws if the file has no rows.',
    'My laptop crashes whenever I open two tabs.',
    "I'm in a meeting til 3.",
    "I'm on Python 3.8 for this script only.",
    '2026-03-11T07:00:12Z INFO worker-3: I have joined the pool',
    'Mein Drucker blinkt seit gestern gelb.',
    'Ich hab in 20 Minuten einen Anruf.',
    'mi router no funciona desde el lunes',
    'supongamos que tengo tres servidores en Madrid',
    '我的应用一打开就闪退，版本 2.4。',
    "You're the landlord, I'm the tenant. Hello, I'm from Ghana and have two cats.",
    'Tom has 9 pens and gives 2 to Eva. How many does Tom have?',
    'Aufsatz: Mein Hund. Ich habe einen Hund, er heißt Rex.',
    'Mail de Ana: "Me mudo a Vigo el 3". ¿Qué le digo?',
    "I'm so tired today.",
    'I had lunch at Wagamama.',
    'If I were a millionaire, I would live in Monaco.',
    'How long do I boil a duck egg?',
    "I'm kidding, I live on the moon.",
    'My boss said he lives in Rome.',
    'My mum wrote me a mail: “I live in York.”',
    'Here is what my colleague sent me:\nI moved to Oslo.',
    'Continue the story: I live in a castle.',
    'Translate this: I work at a bank and have a daughter.',
    'it looks fine to me',
    'Ich könnte gerade den ganzen Kühlschrank leer essen.',
    'Es ist nicht so, dass ich bei Bosch arbeite.',
    'Mein Bruder ist sauer.',
    'No digo que vivo en París.',
    'Haz de vendedor y yo regateo: «soy un turista pobre».',
    'Si yo fuera dueño de un viñedo en Mendoza, no trabajaría.',
    '把这句翻成英文：我在银行上班，有一个五岁的女儿。',
    '我觉得这个方案不错。',
    '如果我有一百万就好了。',
  ])('%s', (content) => {
    expect(kept(content)).toEqual([]);
  });
});

describe('a condition at the end stays with its fact', () => {
  test.each([
    'I only drink coffee on Mondays if I slept badly.',
    'I take ibuprofen but only if my back hurts.',
    "I drink two coffees every morning unless I'm sick.",
    'I run 5 km every day even if it rains.',
    'Ich nehme 50 mg Sertralin, falls mein Arzt das will.',
    'Tomo 50 mg de sertralina, si mi médico quiere.',
    '我每天跑五公里，如果不下雨的话。',
  ])('%s', (content) => {
    expect(kept(content)).toEqual([content]);
  });
});

describe('a fact that its own sentence puts in doubt is none', () => {
  test.each([
    'I have a cat named Tom, said my neighbor.',
    'I have a cat named Tom, my neighbor told me.',
    'My budget is 500 euros, or was it 600?',
    "My appointment is at 9, isn't it?",
    'Yeah right, I have 5 million dollars.',
    'I run a bakery in Porto, just kidding.',
    "I'd have 3 cats if my flat allowed it.",
    'Assume I earn 90,000.',
    'As if I have 12 yachts.',
    'From the FAQ: we are open at 9 every day.',
    'I have 3 dogs and a farm in Kent. Write a reply to this message.',
    'Ich habe 3 Kinder, sagt meine Mutter.',
    'Mein Budget sind 500 Euro, oder waren es 600?',
    "Schön wär's, ich habe 5 Millionen.",
    'Tengo 3 hijos, dice mi madre.',
    'Mi presupuesto es 500 euros, ¿o eran 600?',
    '我有三个孩子，我妈说的。',
    '我预算是5000元，还是6000？',
    '假设我有三只狗，一共几条腿？',
  ])('%s', (content) => {
    expect(kept(content)).toEqual([]);
  });
});

test('a report of the day is no fact, but a change of life is', () => {
  expect(kept('I sent the report to Ana on Friday.')).toEqual([]);
  expect(kept('I quit smoking in January.')).toEqual(['I quit smoking in January.']);
  expect(said('I quit smoking in January.').map(({ statement }) => statement.topic)).toEqual([
    CHANGE_TOPIC,
  ]);
});

test.each([
  'whenever you make a chart use blue and orange',
  'Metric units only for me please.',
  'Antworten bitte immer auf Deutsch.',
  'No me trates de usted.',
  '回答尽量短。',
])('a request about all answers is an instruction: %s', (content) => {
  expect(said(content).map(({ statement }) => statement.kind)).toEqual(['Instruction']);
});

test('a fact keeps the words of its message, whatever stands around it', () => {
  const part = fc.constantFrom(
    'I run a bakery in Porto',
    'is that ok?',
    'my son Ben is 4',
    'if it rains',
    'please help me',
    'haha',
    'No, wait:',
    'Ich wohne in Köln',
    'tengo un perro',
    '我有两只猫',
    '“I live in Rome”',
  );
  const joint = fc.constantFrom(', ', '. ', ' - ', '; ', ' and ', '\n', ' (');
  fc.assert(
    fc.property(fc.array(fc.tuple(part, joint), { minLength: 1, maxLength: 6 }), (parts) => {
      const content = parts.flat().join('');
      for (const { statement } of said(content)) expect(content).toContain(statement.quote);
    }),
    { numRuns: 300 },
  );
});

describe('what is no fact becomes no memory', () => {
  test.each([
    'function f() { const age = 12; return "I live in Paris" }',
    'for i in range(10): print("ich wohne in Berlin")',
    "SELECT name FROM users WHERE city = 'Rome, where I live'",
    'Ein Gedicht über Ulm, bitte.',
    'A haiku about Leeds, please',
    'bin grad echt fertig mit der Welt',
    'ich überlege nach Wien zu gehen',
    'Everyone at Acme loves the new logo.',
    'I have 5 apples and give 2 away, how many are left?',
    'We have two dogs. We sell one. How many dogs remain?',
    'Ich habe 12 Euro und gebe 3 aus. Wie viel bleibt übrig?',
    'Tengo 5 manzanas y regalo 2, ¿cuántas me quedan?',
    '我有5个苹果，给了你2个，还剩几个？',
  ])('%s', (content) => {
    expect(kept(content)).toEqual([]);
  });
});

test.each(['Bitte siezen Sie mich.', 'no uses tecnicismos conmigo'])(
  'a request about all answers is an instruction: %s',
  (content) => {
    expect(said(content).map(({ statement }) => statement.topic)).toEqual(['instruction']);
  },
);
