import { describe, expect, test } from 'vitest';
import { decide, type Decision, type Known } from '#core/extraction/compare-with-known.ts';
import { extract, type Extracted } from '#core/extraction/extract-statements.ts';
import { CHANGE_TOPIC } from '#core/extraction/statement.ts';

const AT = Date.parse('2026-11-03T10:00:00Z');

function said(content: string): readonly Extracted[] {
  return extract([{ id: 'm', role: 'user', speaker: null, content, at: AT }]);
}

/** Sentences of which a memory is made, whatever is known. */
function kept(content: string): readonly Extracted[] {
  return said(content).filter(({ statement }) => statement.topic !== CHANGE_TOPIC);
}

function after(known: string, content: string): readonly Decision['event'][] {
  const before: Known = {
    id: 'known',
    content: known,
    at: AT - 1,
    live: true,
    sources: [],
    speaker: null,
  };
  return said(content).map(
    ({ statement }) =>
      decide({ statement, source: 'm', at: AT, speaker: null }, [before], ['dana']).event,
  );
}

describe('a negative decision', () => {
  test.each([
    ['We decided to use Postgres.', 'We decided against Postgres.'],
    ['We decided to use Postgres.', 'We decided against Postgres, we use SQLite now.'],
    ['We decided to use Postgres for billing.', 'We decided not to use Postgres.'],
    ['We decided to use Postgres.', 'We dropped the plan to use Postgres.'],
    ['We decided to use Postgres.', 'We decided to no longer use Postgres.'],
    ['We decided to use Postgres.', 'We decided to stop using Postgres.'],
    ['We decided against Postgres.', 'We decided to use Postgres after all.'],
    ['Wir haben beschlossen, Postgres zu nutzen.', 'Wir haben uns gegen Postgres entschieden.'],
    ['Wir haben uns für Postgres entschieden.', 'Wir nutzen Postgres doch nicht.'],
    ['Wir haben beschlossen, Jira zu nutzen.', 'Wir haben beschlossen, auf Jira zu verzichten.'],
    ['Hemos decidido usar Postgres.', 'Hemos decidido no usar Postgres.'],
    ['Hemos decidido usar Postgres.', 'Hemos abandonado el plan de usar Postgres.'],
    ['我们决定用Postgres。', '我们决定不用Postgres了。'],
    ['我们决定用微服务。', '我们放弃了使用微服务的计划。'],
  ])('"%s" is ended by "%s"', (known, content) => {
    expect(after(known, content)).toEqual(['SUPERSEDE']);
  });

  test.each([
    ['We decided to migrate from Postgres to MySQL.', 'We decided against Postgres.'],
    ['We decided to use Redis.', 'We decided against Redis for caching.'],
    ['We decided to use Redis.', 'We decided not to use Kafka.'],
    [
      'Wir haben beschlossen, Jira durch Linear zu ersetzen.',
      'Wir haben uns gegen Jira entschieden.',
    ],
    ['Hemos decidido usar Redis.', 'Hemos decidido no usar Kafka.'],
    ['我们决定用Redis。', '我们决定不用Kafka了。'],
  ])('"%s" stays beside "%s"', (known, content) => {
    expect(after(known, content)).toEqual(['ADD']);
  });
});

test.each([
  ['I have a cat called Pixel.', 'I have a cat called Luna.'],
  ['I own a boat called Stella.', 'I own a boat called Luna.'],
  ['I have a house in Paris.', 'I have a house in Rome.'],
  ['My daughter Mia is 6.', 'My daughter Ida is 3.'],
  ['Ich habe eine Katze namens Pixel.', 'Ich habe eine Katze namens Luna.'],
  ['Meine Tochter heißt Mia.', 'Meine Tochter heißt Lea.'],
  ['Tengo un gato llamado Simba.', 'Tengo un gato llamado Nala.'],
  ['我养了一只猫，叫豆豆。', '我养了一只猫，叫来福。'],
])('"%s" and "%s" are two things of one kind', (known, content) => {
  expect(after(known, content)).toEqual(['ADD']);
});

describe('a statement that its speaker does not assert is not kept', () => {
  test.each([
    "I'm not saying I live in Paris.",
    "I'm not saying I'm allergic to nuts.",
    "It's not like I live in Paris.",
    "It isn't as if I work at Google.",
    "It's not true that I live in Leeds.",
    'My mum goes “I hate London” every time.',
    'My mum wrote me a mail: “I live in York. I work at Lidl.”',
    'Draft a tweet: I work at Google now!',
    'My brother just moved to a new flat in York.',
    'Ich sage ja nicht, dass ich in Paris wohne.',
    'Es ist nicht so, dass ich bei Bosch arbeite.',
    'Mein Chef so: «Ich wohne jetzt in Rom».',
    'No digo que vivo en París.',
    'No es que sea alérgico a los gatos.',
    'Ana gritó: «¡Vivo en Marte!»',
    'Javier perdió el trabajo en Ford.',
    '我没说我住在巴黎。',
    '王芳说“我对猫过敏”',
    '我妈说：“我讨厌猫”',
    '小李问：「我对虾过敏怎么办」',
    '我姐姐叫李娜，住在重庆。',
  ])('%s', (content) => {
    const statements = kept(content).map(({ statement }) => statement.topic);
    // The sister has a name, and it is she who lives in Chongqing.
    expect(statements.filter((topic) => topic !== 'my:sister')).toEqual([]);
  });
});

describe('a lasting request is an instruction', () => {
  test.each([
    'Please always write to us by email, never call.',
    'Please only contact me by text.',
    'Only call us after 6 pm, please.',
    'Please answer in bullet points from now on.',
    'From now on, answer in bullet points.',
    'pls write in British English from now on',
    'Keep your answers short.',
    'Antworte mir bitte immer ganz kurz.',
    'Antworte ab jetzt kurz.',
    'Bitte duz mich ab jetzt.',
    'Respóndeme siempre en español.',
    'Prefiero que me respondas en español.',
    'De ahora en adelante háblame de tú.',
    '以后请用中文回答我',
    '请一直用简体中文回复我。',
  ])('%s', (content) => {
    expect(kept(content).map(({ statement }) => statement.kind)).toEqual(['Instruction']);
  });

  test.each([
    'Please answer the email from Tom.',
    'Please only give me the code.',
    'Write to Tom by email.',
    'From now on I work less.',
    'From now on, school starts at eight.',
    'Ab jetzt gehen wir früher schlafen.',
    'Antworte mir bitte kurz: wie hoch ist der Turm.',
    'Gib nie auf.',
    'A partir de ahora el bar cierra a las diez.',
    'Respóndeme rápido, por favor.',
    '以后我要去日本',
    '一直下雨。',
    '以后请你吃饭。',
    '以后再说。',
    'Explain what Postgres does by default.',
    'Write about life in the future in Tokyo.',
    'Erkläre mir warum der Himmel immer blau ist.',
    'Dime quién gana siempre.',
    'Dame lo de siempre.',
  ])('a sentence without a lasting request is not an instruction: %s', (content) => {
    expect(kept(content)).toEqual([]);
  });
});

describe('a new home, employer or habit', () => {
  test.each([
    ['I live in Bristol.', 'i just moved to a new flat in Cardiff'],
    ['We live at 7 Orchard Lane.', "I just moved to a new flat, it's on Linden Street 14."],
    ['I work at Tesco.', "I got a new job, I'm at Aldi now."],
    ['I switched to day shifts.', "I'm on the night shift now."],
    ['I only drink green tea now.', 'I only drink rooibos now.'],
    ['Ich wohne in Leipzig, in der Hauptstraße 88.', 'Ab jetzt wohnen wir in der Südstraße 12.'],
    ['Ich wohne in der Hauptstraße 3.', 'Wir sind nach Bremen gezogen.'],
    ['Ich wohne in Graz.', 'Übrigens sind wir letzte Woche nach Linz gezogen, es war zu weit.'],
    ['Ich arbeite bei Rewe.', 'Ich habe einen neuen Job bei Edeka.'],
    ['Vivo en Valencia, en la calle Colón 23.', 'Ahora vivimos en la calle Mayor 12.'],
    ['Trabajo en Seat.', 'Cambié de empresa, ahora trabajo en Ford.'],
    ['我住在上海', '我们搬家了，现在住在杭州西湖区文三路12号。'],
    ['我在云图上班', '我换工作了，现在在阿里巴巴上班'],
  ])('ends the previous one: "%s", "%s"', (known, content) => {
    expect(after(known, content)).toEqual(['SUPERSEDE']);
  });

  test.each([
    // The street may be one of the city that is known.
    ['Ich wohne in Leipzig.', 'Ab jetzt wohnen wir in der Südstraße 12.'],
    ['Ich wohne in Leipzig, seit 2019.', 'Ab jetzt wohnen wir in der Südstraße 12.'],
    ['Ich wohne in der Südstraße 12.', 'Ich wohne in Leipzig.'],
    ['Vivo en Valencia.', 'Ahora vivimos en la calle Mayor 12.'],
  ])('keeps what may still hold: "%s", "%s"', (known, content) => {
    expect(after(known, content)).toEqual(['ADD']);
  });

  test('is a memory of its own in a sentence with two statements', () => {
    expect(kept('我叫陈伟，住在上海浦东新区张江路18号').map(({ text }) => text)).toEqual([
      '我叫陈伟',
      '我住在上海浦东新区张江路18号',
    ]);
  });
});

test.each([
  'My girlfriend is called Anna.',
  'My daughter Mia is 6.',
  'I got a cat, her name is Pixel.',
  'Meine Freundin heißt Lena.',
  'Wir haben jetzt einen Hund, er heißt Balu.',
  'Mi novia se llama Paula.',
  'Mi hijo Mateo tiene 9 años.',
  '我女朋友叫李娜。',
  '我儿子小宝今年五岁。',
])('relatives and pets of the speaker are kept by name: %s', (content) => {
  expect(kept(content).map(({ statement }) => statement.kind)).toEqual(['Possession']);
});

test.each([
  'My sister Anna is 20 minutes late.',
  '我妈妈叫我吃饭。',
  '我家猫叫个不停。',
  '我们搬家了，现在在整理箱子。',
  'Damals sind wir nach Linz gezogen.',
  '我现在只喝了一口。',
])('a sentence without a name, age, home or habit is not kept: %s', (content) => {
  expect(kept(content)).toEqual([]);
});
