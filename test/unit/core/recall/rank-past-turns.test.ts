import { describe, expect, test } from 'vitest';
import { endedByPassages } from '#core/context/past-turns.ts';
import { pastPassages } from '#core/recall/ranking/passages-for-context.ts';
import { pastSession, type TurnToRecall } from '#core/recall/sessions/past-session.ts';
import { encodePassage } from '#core/recall/sessions/passage-vectors.ts';
import { recallTerms } from '#core/recall/words/recall-terms.ts';
import { questionWindows } from '#core/recall/question/dates-in-question.ts';
import { rankPassages } from '#core/recall/ranking/rank-past-turns.ts';
import { createTextAnalyzer } from '#providers/lexical/analyzer.ts';

const analyzer = createTextAnalyzer();
const ASKED = Date.parse('2026-11-20T10:00:00Z');

function session(day: string, ...said: readonly string[]) {
  return sessionOf(null, day, said);
}

function sessionOf(speaker: string | null, day: string, said: readonly string[]) {
  const turns = said.map((line, index): TurnToRecall => {
    const [role, content] = line.split(/: (.*)/su);
    return {
      turn: {
        id: `${day}-${String(index)}`,
        sessionId: day,
        at: Date.parse(`${day}T09:00:00Z`),
        role: role === 'assistant' || role === 'tool' ? role : 'user',
        speaker,
        content: content ?? '',
        trust: 'stated',
      },
      vectors: null,
    };
  });
  return pastSession(day, turns, analyzer);
}

const SESSIONS = [
  session(
    '2026-03-02',
    'user: Good morning to you.',
    'assistant: Good morning. What are we doing today?',
    'user: The handoff is on Monday at ten, in the standup room.',
    'assistant: Noted, Monday.',
    'user: What would you use against moths in a wool shed?',
    'assistant: I would hang up cedar blocks and put out traps every spring.',
  ),
  session(
    '2026-06-10',
    'user: My knee hurts after the stairs.',
    'assistant: Then rest it for a week, with ice in the evening.',
    'user: By the way, the handoff is now on Wednesday after lunch.',
    'assistant: Changed.',
    'user: I still have to send the invoice to Gregor by Friday.',
    'assistant: I will remind you.',
  ),
];

function best(question: string, sessions = SESSIONS) {
  const asked = {
    text: question,
    terms: recallTerms(analyzer, question),
    vector: null,
    windows: questionWindows(question, ASKED),
  };
  return pastPassages(sessions, rankPassages(sessions, asked)).passages;
}

describe('the ranking of past turns', () => {
  test.each([
    ['¿Sobre qué tiene Ana dudas desde entonces?', ['ana', 'duda', 'entonc']],
    ['Welche Mittel sollen gegen Motten helfen?', ['mittel', 'motten', 'helfen']],
  ])('ignores function words of each language: %s', (question, terms) => {
    expect(recallTerms(analyzer, question)).toEqual(terms);
  });

  test.each([
    ['What does the vehicle run on?', 'user: The van takes diesel.'],
    ['Womit wird das Tier behandelt?', 'user: Der Kater bekommt abends Insulin.'],
    ['¿Quién puso el techo?', 'user: El tejado lo hicieron las hermanas Ruiz.'],
    ['我太太学什么?', 'user: 老伴学剪纸。'],
  ])('matches everyday synonyms: %s', (question, said) => {
    const sessions = [session('2026-03-02', 'user: Tom is 12.', said, 'user: Ann 3, Bo 4, Cy 5.')];
    const [first] = best(question, sessions);
    expect(`user: ${first?.text ?? ''}`).toBe(said);
  });

  test('finds a statement by its words', () => {
    expect(best('In which room is the handoff?')[0]?.text).toContain('standup room');
  });

  test.each([
    ['Wie liefen die Fahrprüfungen?', 'user: Bei der Fahrprüfung fiel das Moped um.'],
    ['¿Qué pasó con las reservaciones?', 'user: La reservación quedó a nombre de Inés.'],
    ['Où sont rangées les couvertures ?', 'user: La couverture bleue est au grenier.'],
  ])('matches another ending of a word without a stemmer for the language: %s', (asked, said) => {
    const other = session('2026-03-02', 'user: Good morning to you.', said, 'assistant: Ja.');
    expect(said).toContain(best(asked, [other])[0]?.text);
  });

  test('ranks code that the question asks for above other talk', () => {
    const told = session(
      '2026-03-02',
      'user: It still ignores the second column of the tables in the annex!',
      'assistant: ```python\ndef total(folder):\n    return sum(folder)\n```',
      'user: The launch is planned for November 17, and Ana has 12 people for it.',
    );
    const texts = best('Which script did we use for the tables?', [told]).map(({ text }) => text);
    expect(texts.slice(0, 2).join('\n')).toContain('def total');
  });

  test.each(['dont', 'hes', 'theyre', 'shouldnt'])(
    'ignores %s, typed without an apostrophe',
    (typed) => {
      expect(recallTerms(analyzer, `${typed} knitting`)).toEqual(recallTerms(analyzer, 'knitting'));
    },
  );

  test('ignores French function words, but not the same words in English', () => {
    expect(recallTerms(analyzer, 'Elle avait quel jardin avec nous ?')).toEqual(['jardin']);
    const son = recallTerms(analyzer, 'Did my son pour the tea in the car?');
    expect(son).toEqual(['son', 'pour', 'tea', 'car']);
  });

  test('ranks a later change of the same thing near the top, and names what it replaces', () => {
    const [first, second] = best('On which day is the handoff?');
    const both = [first, second].toSorted((a, b) => (a?.at ?? 0) - (b?.at ?? 0));
    expect(both.map((each) => each?.text)).toEqual([
      expect.stringContaining('Monday'),
      expect.stringContaining('Wednesday'),
    ]);
    expect(both[0]?.outdatedBy).toEqual([both[1]?.place]);
    expect(both[1]?.outdatedBy).toEqual([]);
  });

  test.each([
    ['My dentist is Dr. Kaur.', 'Dr. Kaur is your dentist, noted.', 'All'],
    ['My dentist is Dr. Kaur.', 'Noted.', 'None'],
    ['My dentist is Dr. Kaur.', 'Dr. Kaur is your dentist, she also treats children.', 'Some'],
    ['My dentist is Dr. Kaur and I am allergic to latex.', 'Allergic to latex, noted.', 'None'],
  ])('"%s": of the reply "%s", a later change ends what repeats that: %s', (said, reply, ended) => {
    const found = best('Who is my dentist, and what am I allergic to?', [
      session('2026-03-02', `user: ${said}`, `assistant: ${reply}`),
      session('2026-06-10', 'user: My new dentist is Dr. Ruiz.', 'assistant: Dr. Ruiz, noted.'),
    ]);
    const endings = new Map(found.map((passage) => [passage.text, endedByPassages(passage)]));
    expect(endings.get(said)).not.toBe('None');
    expect(endings.get(reply) ?? 'None').toBe(ended);
  });

  test('ranks a change before what it replaces, after the best match', () => {
    const found = best('In which room is the invoice for Gregor, and the handoff?');
    const places = ['Gregor', 'Wednesday', 'Monday'].map((word) =>
      found.findIndex(({ text }) => text.includes(word)),
    );
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places[0]).toBe(0);
  });

  test.each([
    ['Dana', 'Dana', 'We launch in Bergen.', 'I changed my bank to Sparda.'],
    ['MEMORY.md', 'memory/2026-06-10.md', 'We launch in Bergen.', 'I moved to Braga.'],
    ['MEMORY.md', 'memory/2026-06-10.md', 'I moved to Braga.', 'I moved to Braga.'],
  ])(
    'does not let what %s says be replaced by what %s says about another thing',
    (a, b, before, after) => {
      const sessions = [
        sessionOf(a, '2026-03-02', [`user: ${before}`]),
        sessionOf(b, '2026-06-10', [`user: ${after}`]),
      ];
      const found = best(`${before} ${after}`, sessions);
      expect(found.map(({ speaker }) => speaker).toSorted()).toEqual([a, b].toSorted());
      expect(found.flatMap(({ outdatedBy }) => outdatedBy)).toEqual([]);
    },
  );

  test('lets a later file replace what another file says', () => {
    const files = [
      ['2026-03-02', 'I live in Porto.'] as const,
      ['2026-06-10', 'I moved to Braga.'] as const,
    ];
    const sessions = files.map(([day, line]) => sessionOf(day, day, [`user: ${line}`]));
    const found = best('Do I live in Porto or Braga?', sessions);
    const outdated = found.filter(({ outdatedBy }) => outdatedBy.length > 0);
    expect(outdated.map(({ text }) => text)).toEqual(['I live in Porto.']);
  });

  test('replaces no value by another one of the same session', () => {
    const said = [
      'user: We want to do the handoff on Monday, in the standup room.',
      'user: Things changed, so the handoff in the standup room goes to Wednesday.',
    ];
    const outdated = (sessions: typeof SESSIONS) =>
      best('On which day is the handoff?', sessions).filter(
        ({ outdatedBy }) => outdatedBy.length > 0,
      );
    const apart = said.map((line, at) => session(at === 0 ? '2026-03-02' : '2026-06-10', line));
    expect(outdated(apart)).toHaveLength(1);
    expect(outdated([session('2026-03-02', ...said)])).toHaveLength(0);
  });

  test('marks a passage that is partly outdated, also within a session', () => {
    const sessions = [
      session('2026-03-02', 'user: I live in Lyon and I am allergic to nuts.', 'assistant: Noted.'),
      session('2026-06-10', 'user: I live in Berlin.', 'user: I moved to Oslo.'),
    ];
    const found = best('Where do I live, in Lyon, Berlin or Oslo?', sessions);
    const marks = found.map(({ text, outdatedBy, isOutdatedInPart }) => {
      return [text.slice(0, 14), outdatedBy.length > 0, isOutdatedInPart];
    });
    expect(marks).toContainEqual(['I live in Lyon', true, true]);
    expect(marks).toContainEqual(['I live in Berl', true, false]);
    expect(marks).toContainEqual(['I moved to Osl', false, false]);
  });

  test('prefers the assistant’s words if the question asks for them', () => {
    const [first] = best('What did you advise me to put out in the shed?');
    expect(first).toMatchObject({ speaker: 'assistant' });
    expect(first?.text).toContain('cedar');
  });

  test.each([
    ['Who looks after the greenhouse?', 'Wilhelmina, my neighbor.', true],
    ['Wer passt auf den Hund auf?', 'Die Roswitha von nebenan.', true],
    ['谁照看温室？', '威廉敏娜，我的邻居。', true],
    ['I hope the greenhouse is warm.', 'Wilhelmina, my neighbor.', false],
    [
      'Who looks after the greenhouse?',
      'That is Wilhelmina, my neighbor, who has the keys since the summer and comes every evening.',
      false,
    ],
  ])('ranks a question of the assistant next to a short answer: %s %s', (asked, answer, isNext) => {
    const others = Array.from({ length: 9 }, (_, at) => `user: Box ${String(at)} has old tiles.`);
    const sessions = [
      session('2026-03-02', 'user: Good morning.', `assistant: ${asked}`, `user: ${answer}`),
      session('2026-06-10', ...others),
    ];
    const [first, second] = best(answer.slice(0, -1), sessions);
    expect(first?.text).toBe(answer);
    expect(second?.text === asked).toBe(isNext);
  });

  test('ranks what only the assistant named above turns of the user with commoner words', () => {
    const guests = Array.from({ length: 12 }, (_, at) => [
      `user: The roast for the guests of table ${String(at)} has to be ready by noon.`,
      'assistant: Noted.',
    ]);
    const sessions = [
      session('2026-03-02', ...guests.flat()),
      session(
        '2026-06-10',
        'user: And the skin never gets crisp.',
        'assistant: Leave it alone. For the last minutes, hold the oven door ajar with a spoon.',
      ),
    ];
    const [first] = best('What was it about the oven door and the roast for the guests?', sessions);
    expect(first?.text).toContain('spoon');
  });

  test.each([
    ['Which film did you recommend to me?', 'The Long Way'],
    ['Which advice did you give me?', 'You should'],
  ])('ranks advice by the topic of the question, if it has one: %s', (question, words) => {
    const advised = ['call the bank first', 'wait a week', 'take the early train'].flatMap(
      (each) => [
        `user: My ${each.split(' ').at(-1) ?? ''} worries me.`,
        `assistant: You should ${each}, and then ask me again before you decide.`,
      ],
    );
    const sessions = [
      session(
        '2026-03-02',
        'user: Four of us want to see a film tonight and cannot agree.',
        'assistant: “The Long Way” pleases everybody.',
      ),
      session('2026-06-10', ...advised),
    ];
    const [first, second] = best(question, sessions);
    expect(`${first?.text ?? ''} ${second?.text ?? ''}`).toContain(words);
  });

  test('ranks the replacement of a top passage next to it, whatever its own rank', () => {
    const talk = Array.from({ length: 9 }, (_, n) => `user: The boiler room, part ${String(n)}.`);
    const sessions = [
      session('2026-03-02', 'user: The boiler room code is 7313 since Monday.', ...talk),
      session('2026-06-10', 'user: Oh, and they changed that code to 9020, by the way.'),
    ];
    const texts = best('Which code opens the boiler room?', sessions).map(({ text }) => text);
    const older = texts.findIndex((text) => text.includes('7313'));
    expect(older).toBeLessThan(5);
    const newer = texts.findIndex((text) => text.includes('9020'));
    expect(Math.abs(newer - older)).toBe(1);
  });

  const talk = Array.from(
    { length: 8 },
    (_, n) => `user: In Leeds I met ${String(n + 20)} people, and we had tea in Hall ${String(n)}.`,
  );
  const corrected = [
    session('2026-03-02', 'user: I charge £420 a day.', ...talk),
    session(
      '2026-06-10',
      ...talk,
      'user: Rosa shouted at me about what I charge, and she is right. ' +
        'So from autumn on whoever is new to me, without any talk about it, pays £480.',
      ...talk,
    ),
  ];

  test('finds a correction that shares only a kind of value and a word of its turn', () => {
    const texts = best('What do I charge a day?', corrected).map(({ text }) => text);
    expect(texts.slice(0, 2).join(' ')).toMatch(/£420.*£480|£480.*£420/u);
  });

  test.each([
    ['to what may correct it', 'So whoever is new to me, without any talk about it, pays', true],
    ['to no value of a day to come', 'So from autumn on whoever is new to me pays', false],
  ])('points from an older value %s', (_, change, mayCorrect) => {
    const later = 'user: Rosa shouted at me about what I charge, and she is right. ';
    const sessions = [
      session('2026-03-02', 'user: I charge £420 a day.', ...talk),
      session('2026-06-10', ...talk, `${later}${change} £480.`, ...talk),
    ];
    const found = best('What do I charge a day?', sessions);
    const { followedBy } = found.find(({ text }) => text.includes('£420')) ?? {};
    expect(found.find(({ place }) => place === followedBy?.place)?.text).toContain('£480');
    expect(followedBy?.mayCorrect).toBe(mayCorrect);
  });

  test.each([
    ['the older', 'user: I charged £420 a day, and they laughed.', 'pays £480'],
    ['the newer', 'user: I charge £420 a day.', 'laughed and went away, though I said £480'],
  ])('points to nothing if %s one tells of what happened once', (_, older, newer) => {
    const later = 'user: Rosa shouted at me about what I charge, and she is right. ';
    const sessions = [
      session('2026-03-02', older, ...talk),
      session(
        '2026-06-10',
        ...talk,
        `${later}So whoever is new to me, without any talk about it, ${newer}.`,
        ...talk,
      ),
    ];
    const pointing = best('What do I charge a day?', sessions).filter(
      (each) => each.followedBy?.mayCorrect === true,
    );
    expect(pointing).toEqual([]);
  });

  test('points to nothing in the same session', () => {
    const told = 'user: So whoever is new to me, without any talk about it, pays £480.';
    const one = session('2026-03-02', 'user: I charge £420 a day.', ...talk, told, ...talk);
    const pointing = best('What do I charge a day?', [one]).filter(
      (each) => each.followedBy?.mayCorrect === true,
    );
    expect(pointing).toEqual([]);
  });

  test.each([
    ['nothing, if nothing but its place links the only later turn', 'Where can I park?', false],
    ['the only later turn, if a value may be newer', 'It is £480 from autumn on.', true],
  ])('names as what follows %s', (_, later, isNamed) => {
    const sessions = [
      session('2026-03-02', 'user: I charge £420 a day.'),
      session('2026-06-10', `user: ${later}`),
    ];
    const charged = best('What do I charge a day?', sessions).find(({ text }) => /420/u.test(text));
    expect(charged?.followedBy !== undefined).toBe(isNamed);
  });

  test('finds no correction if the question names its time', () => {
    const [first, ...others] = best('What did I charge a day on 2 March?', corrected);
    expect(first?.text).toContain('£420');
    const days = others.slice(0, 4).map(({ sessionId }) => sessionId);
    expect(new Set(days)).toEqual(new Set(['2026-03-02']));
  });

  const list = [
    'Calm shows:',
    '1. Cold Latitudes',
    '2. The Wreck Ledger',
    '3. Keepers of the Light',
  ];
  const shows = [
    session('2026-02-12', 'user: Podcasts for the drive home?', `assistant: ${list.join('\n')}`),
    session('2026-03-02', 'user: Snacks for the drive home?', 'assistant: 1. Nuts\n2. Figs'),
    session('2026-03-09', 'user: I drive home at six, and the drive home is long.'),
  ];

  test.each([
    ['What was number three on the list of podcasts you gave me?', 'Keepers of the Light'],
    ['What did you put in third place among the podcasts?', 'Keepers of the Light'],
  ])('finds the item of a list of the assistant by its number: %s', (question, item) => {
    const [first, second] = best(question, shows).map(({ text }) => text);
    expect(`${first ?? ''} ${second ?? ''}`).toContain(item);
  });

  test('prefers open tasks if the question asks for them', () => {
    expect(best('What do I still owe somebody?')[0]?.text).toContain('invoice');
  });

  test('prefers the day named in the question', () => {
    expect(best('What hurt me on 9 June?')[0]?.sessionId).toBe('2026-06-10');
  });

  test('numbers the passages of all sessions in chronological order', () => {
    const passages = best('handoff').toSorted((a, b) => a.place - b.place);
    const days = passages.map(({ sessionId }) => sessionId);
    expect(days).toEqual(days.toSorted());
    expect(new Set(passages.map(({ place }) => place)).size).toBe(passages.length);
  });

  test('finds a statement and its follow-up among thousands of other passages', () => {
    const small = Array.from({ length: 5_000 }, (_, at) => `user: Small talk of no use, no ${at}.`);
    const all = [...SESSIONS, session('2026-08-01', ...small)];
    const shown = best('On which day is the handoff?', all);
    const days = shown.slice(0, 3).map(({ text }) => /Monday|Wednesday/u.exec(text)?.[0]);
    expect(days).toEqual(expect.arrayContaining(['Monday', 'Wednesday']));
    expect(shown.length).toBeLessThan(small.length);
  });

  test('is empty without a session', () => {
    expect(best('handoff', [])).toEqual([]);
  });

  test('uses vectors if available: the nearest passage is first', () => {
    const [near, far] = [encodePassage([1, 0]), encodePassage([0, 1])];
    const said = ['Rain again all day long.', 'The train leaves late tonight.'];
    const sessions = said.map((content, index) =>
      pastSession(
        String(index),
        [
          {
            turn: {
              id: String(index),
              sessionId: String(index),
              at: index,
              role: 'user',
              speaker: null,
              content,
              trust: 'stated',
            },
            vectors: [index === 0 ? near : far],
          },
        ],
        analyzer,
      ),
    );
    const vector = Float32Array.of(1, 0);
    const asked = { text: 'weather', terms: ['weather'], vector, windows: [] };
    expect(rankPassages(sessions, asked)[0]?.passage.text).toBe(said[0]);
  });

  test('a question that was asked before ranks behind what answers it, and is no hit', () => {
    const sessions = [
      session('2026-03-02', 'user: I moved to Braga in May.', 'assistant: Noted.'),
      session('2026-06-10', 'user: Where do I live?', 'assistant: Noted.'),
    ];
    const found = best('Where do I live?', sessions);
    expect(found[0]?.text).toBe('I moved to Braga in May.');
    expect(found.filter(({ hitShare }) => hitShare > 0).map(({ text }) => text)).toEqual([
      'I moved to Braga in May.',
    ]);
  });
});

describe('a sentence that only goes on from the one before', () => {
  test.each([
    [
      'Which locker do I use?',
      'I use another locker, right by the stairs. It is the 118.',
      'Tom wants a locker from Monday, 12 October, with a good strong lock.',
    ],
    [
      'Welches Schließfach habe ich?',
      'Ich habe ein anderes Schließfach dort. Es ist die 118.',
      'Tom will ab Montag, 12. Oktober, ein Schließfach mit gutem Schloss.',
    ],
    [
      '¿Qué taquilla uso?',
      'Uso otra taquilla desde mayo. Está en el pasillo 118.',
      'Tomás quiere una taquilla para el lunes 12 de octubre, con cerradura.',
    ],
    [
      '我用哪个柜子？',
      '我五月起用另外一个柜子，就在楼梯旁边。是一百一十八号。',
      '小汤从十月十二号起也想要一个柜子，星期一来拿钥匙。',
    ],
  ])('ranks before another about the same thing: %s', (question, said, other) => {
    const sessions = [
      session('2026-05-04', `user: ${said}`),
      session('2026-09-07', `user: ${other}`),
    ];
    const texts = best(question, sessions).map(({ text }) => text);
    expect(texts[0]).toBe(said.slice(0, said.indexOf(texts[1] ?? '')).trim());
    expect(texts[2]).toBe(other);
  });
});

describe('a change in the domain of life that a question asks for', () => {
  test.each([
    [
      'Which tablets do I take?',
      'I take my tablets at seven, lercanidipine.',
      "I'm on telmisartan since the new doctor looked at my ankles.",
      'We had cake with the neighbors since the new baker was open again.',
    ],
    [
      'Wo wohne ich?',
      'Ich wohne in Fulda am Bahnhof.',
      'Ich habe jetzt das Erdgeschoss, mit Balkon und einem netten Vermieter.',
      'Ich habe jetzt die Birnen eingekocht, mit Zimt und einem großen Löffel.',
    ],
    [
      '¿Qué coche tengo?',
      'Tengo un coche rojo, un Panda.',
      'Ahora es uno de gasolina, gris, con llantas nuevas y sin abolladuras.',
      'Ahora hay sopa de gallina, rica, con 8 fideos nuevos y sin cebolla.',
    ],
    [
      '我的工作是什么？',
      '我的工作是卖保险。',
      '我现在三月入职了，常上夜班，在一家印刷厂排版。',
      '我现在五月三号三点吃饭了，常喝汤水，要在一家很小的饭馆排队一小时。',
    ],
  ])('ranks before another one: %s', (question, before, change, other) => {
    const sessions = [
      session('2026-03-02', `user: ${before}`),
      session('2026-05-04', `user: ${other}`, 'assistant: Good.', `user: ${change}`),
    ];
    const texts = best(question, sessions).map(({ text }) => text);
    expect(texts).toContain(change);
    expect(texts.indexOf(change)).toBeLessThan(texts.indexOf(other));
  });
});
