/** Reports that end an open task or goal without naming it in full. */
import { describe, expect, test } from 'vitest';
import { decide, type Known } from '#core/extraction/compare-with-known.ts';
import { extract, type Message } from '#core/extraction/extract-statements.ts';

const NOON = Date.UTC(2026, 8, 21, 12);

/**
 * Returns which known memories a conversation ends. Its turns alternate, and the last one is by the
 * user.
 */
function endedBy(known: readonly string[], ...turns: readonly string[]): readonly string[] {
  const messages = turns.map((content, at): Message => {
    const role = (turns.length - at) % 2 === 1 ? 'user' : 'assistant';
    return { id: `m${String(at)}`, role, speaker: null, content, at: NOON + at };
  });
  const memories: readonly Known[] = known.map((content, at) => ({
    ...{ id: content, content, at: NOON - 10 + at },
    ...{ live: true, sources: [], speaker: null },
  }));
  const ended: string[] = [];
  for (const { statement, message, talk = [] } of extract(messages)) {
    const report = { statement, source: message.id, at: message.at, speaker: null, talk };
    const live = memories.filter((each) => !ended.includes(each.id));
    const decision = decide(report, live, ['ann']);
    if (decision.event === 'SUPERSEDE') ended.push(...decision.supersedes);
  }
  return ended;
}

const REPORT = 'I need to send the report to Eva by Friday.';
const RENT = 'I have to pay the rent by Monday.';
const BERICHT = 'Ich muss das Paket an Tom bis Freitag abschicken.';
const INFORME = 'Tengo que enviar el informe a Eva mañana.';
const PARCEL_ZH = '我明天要寄包裹给妈妈。';

describe('a report by a pronoun', () => {
  test.each([
    [REPORT, 'Did you send the report to Eva?', 'I sent it.'],
    [REPORT, 'The report to Eva is still open.', 'Done, mailed it this morning.'],
    [REPORT, 'The report to Eva is still open.', 'Done! I mailed it.'],
    [REPORT, 'How is the report for Eva?', "It's sent."],
    [REPORT, 'The report to Eva is still open.', 'All done!'],
    [RENT, 'Your rent is due on Monday.', "I've paid it."],
    ['Call the plumber', 'Did the plumber answer?', 'Yes, I called him yesterday.'],
    [BERICHT, 'Ist das Paket an Tom schon fertig?', 'erledigt, ist raus'],
    [BERICHT, 'Das Paket an Tom fehlt noch.', 'Hab ich heute Morgen abgeschickt.'],
    [REPORT, 'Please send the report to Eva today.', 'Done.'],
    [REPORT, 'What about the report to Eva?', 'Done.'],
    [BERICHT, 'Das Paket an Tom fehlt noch.', 'Erledigt.'],
    [BERICHT, 'Schickst du das Paket an Tom heute noch ab?', 'Erledigt.'],
    [BERICHT, 'Wie sieht es mit dem Paket an Tom aus?', 'Erledigt.'],
    [BERICHT, 'Was ist mit dem Paket an Tom?', 'Erledigt.'],
    [INFORME, '¿Has enviado el informe a Eva?', 'Hecho.'],
    [INFORME, '¿Cómo va el informe para Eva?', 'Hecho.'],
    ['I need to cancel the gym contract by June.', 'And the gym?', 'I cancelled it on Monday.'],
    [INFORME, '¿Y el informe para Eva?', 'ya lo envié'],
    [INFORME, 'Falta el informe para Eva.', 'Listo, lo mandé esta mañana.'],
    [INFORME, 'Falta el informe para Eva.', 'Ya está enviado.'],
    ['Tengo que retirar el paquete mañana.', '¿Y el paquete?', 'Ya lo retiré.'],
    [PARCEL_ZH, '给妈妈的包裹怎么样了？', '已经寄出去了'],
    [PARCEL_ZH, '给妈妈的包裹呢？', '搞定了。'],
    [PARCEL_ZH, '你给妈妈的包裹寄了吗？', '搞定了。'],
  ])('ends the task that the talk is about: %s / %s / %s', (task, talk, said) => {
    expect(endedBy([task, 'I live in Lyon.', 'Buy a new lamp'], talk, said)).toEqual([task]);
  });

  test('ends the task of an earlier sentence or turn of its user', () => {
    const talk = 'The report to Eva took me all day.';
    expect(endedBy([REPORT], `${talk} I sent it.`)).toEqual([REPORT]);
    expect(endedBy([REPORT], talk, 'That sounds tiring.', 'I sent it.')).toEqual([REPORT]);
  });

  test('ends nothing without talk of a task, or long after it', () => {
    expect(endedBy([REPORT], 'I sent it.')).toEqual([]);
    expect(endedBy([REPORT], 'How was your weekend?', 'I sent it.')).toEqual([]);
    const past = ['The report to Eva is open.', 'Let us talk about music.', 'I like jazz.'];
    expect(endedBy([REPORT], ...past, 'Why do you?', 'Done.')).toEqual([]);
  });

  test('ends nothing if two tasks of the talk have its verb', () => {
    const other = 'I need to send the invoice to Bob by Friday.';
    const talk = 'The report to Eva and the invoice to Bob are open.';
    expect(endedBy([REPORT, other], talk, 'I sent it.')).toEqual([]);
    expect(endedBy([REPORT, RENT], 'The rent and the report to Eva are open.', 'Done.')).toEqual(
      [],
    );
    const both = 'The rent and the report to Eva are open.';
    expect(endedBy([REPORT, RENT], both, 'I sent it.')).toEqual([REPORT]);
  });

  test('ends nothing if the talk is about another thing too', () => {
    const talk = 'The report to Eva is open. Could you also send me the log file?';
    expect(endedBy([REPORT], talk, 'I sent it.')).toEqual([]);
    const other = 'Eva asked about the report. I found a nice postcard for your mother.';
    expect(endedBy([REPORT], other, 'I sent it.')).toEqual([]);
    const short = 'The report to Eva is open. Your slides look good.';
    expect(endedBy([REPORT], short, 'I sent them.')).toEqual([]);
    const bill = 'I have to pay the electricity bill by Monday.';
    const bills = 'The electricity bill is 80 euros. The water bill came as well.';
    expect(endedBy([bill], bills, 'I paid it.')).toEqual([]);
    const vet = 'Your sister said hi, and the vet is open until six.';
    expect(endedBy(['I must call the vet by Monday.'], vet, 'I called her.')).toEqual([]);
    const last = 'The report to Eva is open. Please restart the server now.';
    expect(endedBy([REPORT], last, 'Done.')).toEqual([]);
  });

  test.each([
    [REPORT, 'Have you printed the report for Eva?', 'Done.'],
    [REPORT, 'I have shortened the report to Eva.', 'Great, done.'],
    [REPORT, 'Have you finished the draft of the report to Eva?', 'Done.'],
    [REPORT, 'Please review the report to Eva.', 'Done.'],
    [REPORT, 'Should I send the report to Eva tomorrow?', 'Done.'],
    [REPORT, 'Do you want me to send the report to Eva?', 'Done.'],
    [BERICHT, 'Hast du das Paket an Tom gepackt?', 'Erledigt.'],
    [BERICHT, 'Soll ich das Paket an Tom abschicken?', 'Erledigt.'],
    [INFORME, '¿Revisaste el informe para Eva?', 'Hecho.'],
    [INFORME, '¿Debo enviar el informe a Eva?', 'Hecho.'],
    [INFORME, '¿Le mando el informe a Eva?', 'Hecho.'],
    [PARCEL_ZH, '你打开给妈妈的包裹了吗？', '搞定了。'],
    [PARCEL_ZH, '要不要给妈妈寄包裹？', '搞定了。'],
  ])('ends nothing if the talk is about another act: %s / %s / %s', (task, talk, said) => {
    expect(endedBy([task], talk, said)).toEqual([]);
  });

  test.each([
    'I sent it back.',
    'I sent it to the wrong address, have to do it again.',
    'I sent it. To the wrong address, though.',
    'Did you send it?',
    'Have I sent it already?',
    "I'll send it.",
    'She sent it.',
    'They sent it.',
    'I read it.',
    'Got it.',
    'I almost sent it.',
    "I haven't sent it.",
    'I sent half of it.',
    'I printed it.',
    'She said she sent it.',
    'I send it.',
  ])('ends no task to send something: %s', (said) => {
    expect(endedBy([REPORT], 'The report to Eva is open.', said)).toEqual([]);
  });

  test.each([
    [BERICHT, 'Das Paket an Tom fehlt noch.', 'Sie haben es abgeschickt.'],
    [BERICHT, 'Das Paket an Tom fehlt noch.', 'Er hat es abgeschickt.'],
    [BERICHT, 'Das Paket an Tom fehlt noch.', 'Ich schicke es ab.'],
    [BERICHT, 'Das Paket an Tom fehlt noch.', 'Hab ich zurückgeschickt.'],
    [INFORME, 'Falta el informe para Eva.', 'Lo envió.'],
    [INFORME, 'Falta el informe para Eva.', 'Lo enviaré mañana.'],
    [INFORME, 'Falta el informe para Eva.', 'Lo envié a otra persona.'],
    [PARCEL_ZH, '给妈妈的包裹呢？', '他寄了。'],
    [PARCEL_ZH, '给妈妈的包裹呢？', '寄错了。'],
    [PARCEL_ZH, '给妈妈的包裹呢？', '还没寄。'],
  ])('ends nothing if others act, or it is not done: %s / %s / %s', (task, talk, said) => {
    expect(endedBy([task], talk, said)).toEqual([]);
  });
});

const MARATHON = 'I want to run a marathon this year.';
const ANOTHER = 'I want to run another marathon this year.';

describe('a goal', () => {
  test.each([
    [MARATHON, 'I ran the marathon on Sunday, 4:12!'],
    [MARATHON, 'I finally finished my first marathon!'],
    [MARATHON, 'I gave up on the marathon.'],
    [MARATHON, "I've given up on running a marathon."],
    ["I'm training for the Berlin marathon.", 'I ran the Berlin marathon yesterday!'],
    ["I'm saving for a new bike.", 'We bought the new bike.'],
    ['Mein Ziel ist es, einen Marathon zu laufen.', 'Den Marathon bin ich am Sonntag gelaufen!'],
    ['Mein Ziel ist es, einen Marathon zu laufen.', 'Ich habe den Marathon aufgegeben.'],
    ['Quiero correr un maratón este año.', 'Corrí el maratón el domingo, 4:12.'],
    ['Quiero correr un maratón este año.', 'Renuncié al maratón.'],
    [ANOTHER, 'I ran another marathon on Sunday.'],
    [ANOTHER, 'I gave up on another marathon.'],
    ['Quiero correr otro maratón este año.', 'Corrí otro maratón el domingo.'],
    ['我今年的目标是跑一次马拉松。', '我周日跑完马拉松了！'],
    ['我今年的目标是跑一次马拉松。', '我放弃马拉松了。'],
  ])('%s ends with: %s', (goal, said) => {
    expect(endedBy([goal, 'I live in Lyon.'], said)).toEqual([goal]);
  });

  test.each([
    [MARATHON, 'My brother ran the marathon on Sunday.'],
    [MARATHON, 'I ran a marathon last year.'],
    [MARATHON, 'I ran half a marathon on Sunday.'],
    [MARATHON, 'I ran to the marathon expo on Sunday.'],
    [MARATHON, 'I almost gave up on the marathon.'],
    [MARATHON, 'I gave up sugar for the marathon.'],
    [MARATHON, 'I watched the marathon on Sunday.'],
    [MARATHON, 'I will run the marathon on Sunday.'],
    [MARATHON, 'Did I say I ran the marathon?'],
    [MARATHON, "I haven't given up on the marathon."],
    ['My goal is to read 20 books by the end of 2027.', 'I finished 2 books.'],
    ["I'm saving for a new bike.", 'I bought a new helmet.'],
    ['Quiero correr un maratón este año.', 'Corrió el maratón el domingo.'],
    [ANOTHER, 'I ran my first marathon last week.'],
    [ANOTHER, 'I ran the marathon on Sunday.'],
    ['I want to run the marathon again.', 'I ran the marathon on Sunday.'],
    ['I want to run a marathon once more.', 'I ran the marathon on Sunday.'],
    ['I want to run a second marathon.', 'I ran my first marathon last week.'],
    ['Mein Ziel ist es, noch einen Marathon zu laufen.', 'Ich bin den Marathon gelaufen.'],
    ['Mein Ziel ist es, wieder einen Marathon zu laufen.', 'Ich bin den Marathon gelaufen.'],
    ['Quiero correr otro maratón este año.', 'Corrí el maratón el domingo.'],
    ['Quiero correr un maratón otra vez.', 'Corrí el maratón el domingo.'],
    ['我今年的目标是再跑一次马拉松。', '我周日跑完马拉松了！'],
    ['我今年的目标是跑一次马拉松。', '他跑完马拉松了。'],
  ])('%s stays after: %s', (goal, said) => {
    expect(endedBy([goal], said)).toEqual([]);
  });
});
