/** Tasks, goals, people, languages and moved dates that messages tell of. */
import { describe, expect, test } from 'vitest';
import { decide, type Known } from '#core/extraction/compare-with-known.ts';
import { extract } from '#core/extraction/extract-statements.ts';
import { layerOfStatement } from '#core/extraction/layer-of-statement.ts';

const AT = Date.parse('2026-11-03T10:00:00Z');

function said(content: string, speaker: string | null = null) {
  return extract([{ id: 'm', role: 'user', speaker, content, at: AT }]);
}

/** Returns the kinds and topics of what a message says, apart from what it only mentions. */
function kept(content: string): readonly string[] {
  return said(content)
    .filter(({ statement }) => !statement.isMentioned)
    .map(({ statement: { kind, topic } }) => `${kind} ${topic}`);
}

/** Returns what becomes of a later message, beside a memory. */
function event(known: string, content: string, speaker: string | null = null): string {
  const before: Known = {
    id: 'known',
    content: known,
    at: AT - 1,
    live: true,
    sources: [],
    speaker: null,
  };
  const [event = 'None'] = said(content, speaker).map(
    ({ statement }) =>
      decide({ statement, source: 'm', at: AT, speaker }, [before], ['dana']).event,
  );
  return event;
}

const KEPT: Readonly<Record<string, readonly string[]>> = {
  'Task task': [
    'I need to return the keys to the agency by Monday.',
    'We still have to book the venue.',
    'I must hand in my thesis before June 3.',
    'TODO: cancel the gym membership',
    'Remind me to buy stamps.',
    'gotta renew my parking permit tomorrow',
    'By Tuesday I have to hand in the essay.',
    'I just need to sign the lease.',
    'Note to self: buy candles.',
    'Add return the ladder to my to-do list.',
    'I promised Eva I would check her translation.',
    'Ich muss die Steuererklärung bis Montag abgeben.',
    'Heute muss ich noch Tickets kaufen.',
    'Erinnere mich daran, die Heizung zu entlüften.',
    'Tengo que llamar al banco el martes.',
    'Tengo que llevar el coche al taller mañana.',
    'Pendiente: firmar el alquiler',
    '我明天要给客户发邮件。',
    '待办：取消健身卡',
  ],
  'Goal goal': [
    'My goal is to read thirty books this year.',
    'Our goal for the summer is a faster checkout.',
    "I'm saving up for a camper van.",
    "I'm trying to quit smoking.",
    'I want to become a midwife one day.',
    'Mein Ziel ist ein Halbmarathon im Mai.',
    'Ich spare auf ein E-Bike.',
    'Mi sueño es abrir una librería.',
    '我的梦想是开一家咖啡馆。',
  ],
  'Possession my:sister': [
    'Eva is my younger sister.',
    'Eva ist meine Schwester.',
    '小红是我妹妹。',
  ],
  'Possession residence:eva': [
    'My sister Eva lives in Ghent.',
    'Meine Schwester Eva wohnt in Gent.',
    'Mi hermana Eva vive en Gante.',
  ],
  'Possession residence:brother': ['My brother has moved to Malmö.', '我弟弟住在青岛。'],
  'Self speaks': [
    'I speak Swedish.',
    "I'm fluent in Arabic.",
    'Ich spreche gut Polnisch.',
    'Hablo italiano.',
    '我会说日语。',
  ],
  'Self plays': ['I can play the violin.', 'Ich spiele Cello.', 'Toco el piano.', '我会弹吉他。'],
  'Date date:launch': [
    'The launch has slipped to June 9.',
    'We had to push the launch to June 9.',
    'Der Launch verschiebt sich auf den 9. Juni.',
    'Hemos aplazado el lanzamiento al 9 de junio.',
    '发布会延期到6月9日。',
  ],
};

const LEFT: Readonly<Record<string, readonly string[]>> = {
  'a question': ['Do I have to return the keys by Monday?', '我明天要交报告吗？'],
  'what somebody else has to do': [
    'Eva needs to return the keys by Monday.',
    'She has to call the bank tomorrow.',
    'Eva muss bis Montag die Schlüssel abgeben.',
    'Ella tiene que llamar al banco el martes.',
    '小红明天要交报告。',
  ],
  'a request to the assistant': [
    'You have to use short sentences.',
    'I need you to send shorter answers today.',
    'I need to know the difference by Friday.',
    'I need to parse JSON in Go.',
    'Remind me why we chose Postgres.',
    'Du musst kürzer antworten.',
    'Tengo que pedirte un favor.',
    '我需要你帮我写报告。',
  ],
  'a condition': [
    'If she says no I have to return the keys by Monday.',
    'Wenn es regnet, muss ich morgen das Zelt abholen.',
    'Si llueve, tengo que llamar al banco.',
    '如果下雨，我得取消预约。',
  ],
  'what was done or due before': [
    'I had to return the keys on Monday.',
    'Ich musste am Montag die Schlüssel abgeben.',
    'Tuve que llamar al banco.',
    'My brother lived in Malmö.',
  ],
  'a note that is no errand': [
    'Note to self: deploys need the VPN.',
    'Todo list for the app: login.',
  ],
  'a phrase': ['I have to say it works.', 'I need to pay attention.', 'Ich muss lachen.'],
  'a quotation': ['She wrote: "I need to return the keys by Monday."'],
  'a joke': ['My goal is to nap lol', 'Coffee is my brother.'],
  'a goal of somebody else': ['Her goal is to win the cup.'],
  'what passes': ['My brother is tired.', 'Mein Bruder ist sauer.'],
};

describe('statements of tasks, goals and people', () => {
  test.each(Object.entries(KEPT).flatMap(([of, each]) => each.map((text) => [text, of] as const)))(
    'extraction keeps "%s" as %s',
    (text, of) => {
      expect(kept(text)).toEqual([of]);
    },
  );

  test.each(
    Object.entries(LEFT).flatMap(([why, each]) => each.map((text) => [why, text] as const)),
  )('extraction leaves out %s: "%s"', (_, text) => {
    expect(kept(text)).toEqual([]);
  });

  test('a task for a relative day keeps the day that it counts from', () => {
    const [task] = said('I need to return the keys by Friday.');
    expect(task?.text).toBe('I need to return the keys by Friday. (as of 2026-11-03)');
    const [end] = said('I have to pay the rent by the end of the month.');
    expect(end?.text).toContain('(as of 2026-11-03)');
  });

  test('a task stays with its user; a goal that several share belongs to their project', () => {
    const both = { userId: 'dana', projectId: 'billing' };
    const layer = (text: string): string | null => {
      const [first] = said(text);
      return first === undefined ? null : layerOfStatement(first.statement, both);
    };
    expect(layer('We still have to book the venue.')).toBe('user');
    expect(layer('My goal is to read thirty books this year.')).toBe('user');
    expect(layer('Our goal for the summer is a faster checkout.')).toBe('project');
    expect(layer('The product launch has slipped to June 9.')).toBe('project');
  });
});

const TASK = 'I need to send the plan to Eva by Friday.';
const ENDED: readonly (readonly [known: string, said: string])[] = [
  [TASK, 'I sent the plan to Eva.'],
  [TASK, 'Sent the plan this morning.'],
  [TASK, "I don't need to send the plan anymore."],
  [TASK, 'I need to send the plan to Eva by Monday.'],
  ['Todo: renew the passport', "I've renewed the passport."],
  ['Renew the passport', 'I renewed the passport.'],
  ['I need to cancel my gym membership.', 'I cancelled my gym membership.'],
  ['I still have to buy a Honda.', 'I just bought a Honda.'],
  ['Ich muss das Paket abholen.', 'Das Paket habe ich abgeholt.'],
  ['Ich muss den Bericht schicken.', 'Ich muss den Bericht doch nicht schicken.'],
  ['Tengo que pagar la factura.', 'Ya pagué la factura.'],
  ['我还得交电费。', '电费已经交了。'],
  ['My brother lives in Oslo.', 'My brother has moved to Malmö.'],
  ['The product launch is now May 4.', 'The product launch has slipped to June 9.'],
];
const OPEN: readonly (readonly [known: string, said: string])[] = [
  [TASK, "I haven't sent the plan to Eva yet."],
  [TASK, 'I sent the plan to Tom.'],
  [TASK, 'Tom sent the plan to Eva.'],
  [TASK, 'The plan is finished.'],
  [TASK, 'I read the plan.'],
  [TASK, 'Did I send the plan to Eva?'],
  [TASK, 'I need to send the invoice to Eva by Monday.'],
  ['Ich muss das Paket abholen.', 'Das Paket habe ich noch nicht abgeholt.'],
  ['Tengo que pagar la factura.', 'Luis pagó la factura.'],
  ['我还得交电费。', '电费还没交。'],
  ['My brother lives in Oslo.', 'My sister lives in Malmö.'],
  ['I live in Oslo.', 'My brother lives in Malmö.'],
  ['I speak Swedish.', 'I speak Danish.'],
];

describe('what ends a task or a fact about a person', () => {
  test.each(ENDED)('"%s" is ended by "%s"', (known, later) => {
    expect(event(known, later)).toBe('SUPERSEDE');
  });

  test.each(OPEN)('"%s" is not ended by "%s"', (known, later) => {
    expect(event(known, later)).not.toBe('SUPERSEDE');
  });

  test('a report of another speaker does not end a task', () => {
    expect(event(TASK, 'I sent the plan to Eva.', 'Bob')).not.toBe('SUPERSEDE');
  });

  test('a report that ends nothing known becomes no memory', () => {
    expect(event('I live in Oslo.', 'I sent the plan to Eva.')).toBe('None');
  });
});
