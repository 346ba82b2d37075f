/** What has changed, mentioned in passing: homes, schools, employers, people and appointments. */
import { describe, expect, test } from 'vitest';
import { decide, type Known } from '#core/extraction/compare-with-known.ts';
import { extract } from '#core/extraction/extract-statements.ts';
import { endingBy } from './ending-by.ts';

type Pairs = readonly (readonly [older: string, newer: string])[];

/** Returns what becomes of the statements of a message that somebody sends. */
function events(known: string, content: string): readonly string[] {
  const at = Date.parse('2026-11-03T10:00:00Z');
  const before: Known = {
    id: 'known',
    content: known,
    at: at - 1,
    live: true,
    sources: [],
    speaker: null,
  };
  return extract([{ id: 'm', role: 'user', speaker: null, content, at }]).map(
    ({ statement }) =>
      decide({ statement, source: 'm', at, speaker: null }, [before], ['dana']).event,
  );
}

const ENDED: Readonly<Record<string, Pairs>> = {
  'a home': [
    ['I live in Leeds.', 'We moved to York last month, the neighbours are lovely.'],
    ['I live in Leeds.', 'We finally moved to Whitby, need a plumber for the new flat.'],
    ['I live in Portland.', 'Since our move to Tucson the neighbors are nice.'],
    ['I live in Dublin.', 'I need a rug for my new place in Cork.'],
    ['I live in Leeds.', "I'm still unpacking boxes at the new house in York."],
    ['My flat is in Leeds.', 'My new flat in York has a balcony.'],
    ['Ich wohne in Köln.', 'Seit dem Umzug nach Bonn schlafe ich besser.'],
    ['Ich wohne in Hamburg.', 'Für unser neues Haus in Kiel brauchen wir Gardinen.'],
    ['Ich lebe in Graz.', 'Seit wir in Linz wohnen, ist der Arbeitsweg kürzer.'],
    ['Vivo en Sevilla.', 'Desde la mudanza a Cádiz duermo mejor.'],
    ['Vivo en Bilbao.', 'Mi piso nuevo en Gijón tiene terraza.'],
    ['我住在上海。', '自从搬到苏州以后，我每天骑车。'],
    ['我住在北京。', '我成都的新家缺一个书架。'],
  ],
  'where somebody teaches': [
    ['Ich unterrichte am Gymnasium.', 'Ich unterrichte jetzt an der Realschule.'],
    ['Ich unterrichte Mathe am Gymnasium.', 'Seit August unterrichte ich an einer Gesamtschule.'],
    ['I teach at Elm School.', "I'm now teaching at Oak College."],
    ['Doy clase en un instituto.', 'Ahora doy clase en la universidad.'],
    ['我在小学教书。', '我现在在中学教书。'],
  ],
  'an employer': [
    ['I work at Acme.', 'I love my new job at Globex.'],
    ['I work for Acme.', 'Since joining Globex last spring I commute by train.'],
    ['I work at Siemens.', 'Since I started at Bosch I get up at five.'],
    ['Ich arbeite bei Siemens.', 'Seit ich bei Bosch angefangen habe, schlafe ich weniger.'],
    ['Ich arbeite bei Aldi.', 'In meinem neuen Job bei Lidl fange ich um sechs an.'],
    ['Trabajo en Seat.', 'Desde que empecé en Bosch madrugo mucho.'],
    ['我在华为工作。', '自从我加入腾讯以后，每天加班。'],
  ],
  'somebody who serves or leads, or a partner': [
    ['My boss is Tom.', 'My new boss Ines wants weekly reports.'],
    ['My doctor is Dr. Hall.', 'My new doctor, Dr. Singh, changed my pills.'],
    ['My girlfriend is called Anna.', 'My new girlfriend Eva is vegan.'],
    ['Mein Chef heißt Tom.', 'Ich war mit meiner neuen Chefin Ines essen.'],
    ['Meine Hausärztin ist Dr. Kern.', 'Mein neuer Hausarzt Dr. Lang hat mich krankgeschrieben.'],
    ['Mi jefe es Tomás.', 'Mi nueva jefa Inés quiere informes semanales.'],
    ['Mi médico se llama Vega.', 'Mi nuevo médico es el doctor Ruiz.'],
    ['我的老板是张伟。', '我新老板陈静很严格。'],
    ['我男朋友叫小明。', '我的新男朋友阿强喜欢爬山。'],
  ],
  'an appointment': [
    ['Friseurtermin ist am 9.', 'Der Friseur hat den Termin auf den 14. verschoben.'],
    ['Ich habe am Montag einen Zahnarzttermin.', 'Der Zahnarzt hat ihn auf Dienstag verlegt.'],
    ['Der Zahnarzttermin ist am 9. Mai.', 'Die Zahnärztin hat ihn auf den 14. Mai verschoben.'],
    ['Der Termin beim Notar ist am 3. Juni.', 'Der Notar hat mich auf den 10. Juni verlegt.'],
    ['My dentist appointment is on the 9th.', 'The dentist pushed it to the 14th.'],
    ['The haircut is on the 9th.', 'The hairdresser moved it to the 14th.'],
    ['My appointment with the vet is on Monday.', 'The vet had to move us to Thursday.'],
    ['Tengo cita con el dentista el 9 de mayo.', 'El dentista me la ha pasado al 14.'],
    ['Mi cita con la médica es el lunes.', 'El médico me ha cambiado la cita al jueves.'],
    ['我的牙医预约是9号。', '牙医把预约改到14号了。'],
    ['理发预约在周一。', '理发师把时间改到周四了。'],
  ],
};

describe.each(Object.entries(ENDED))('%s that a later sentence mentions', (_of, pairs) => {
  test.each(pairs)('"%s" is replaced by "%s"', (older, newer) => {
    expect(endingBy(older, newer)).toBe('All');
    expect(events(older, newer)).toContain('SUPERSEDE');
  });
});

test.each(Object.entries(ENDED).flatMap(([of, pairs]) => (of === 'an appointment' ? [] : pairs)))(
  '"%s" holds again, said after "%s"',
  (older, newer) => {
    expect(endingBy(newer, older)).not.toBe('None');
  },
);

test.each([
  'The radiator in my new place in York is broken.',
  'I had lunch with my new boss Ines.',
  'Seit dem Umzug nach Bonn schlafe ich besser.',
  'Mi nueva jefa Inés quiere informes semanales.',
  '我新老板陈静很严格。',
])('no memory is made of "%s" if it ends nothing', (content) => {
  expect(events('The cat is black.', content)).toEqual(['None']);
});

const MARKED: Pairs = [
  ['I live in Leeds.', 'We moved to York last month.'],
  ['I live in Leeds.', "We've just moved to York."],
  ['We live in Leeds.', 'Since the move to York I sleep better.'],
  ['My partner is Ana.', 'My new partner Eva is vegan.'],
  ['Ich wohne in Köln.', 'Nach dem Umzug nach Bonn brauche ich einen neuen Zahnarzt.'],
  ['Vivo en Sevilla.', 'Tras la mudanza a Cádiz no tengo coche.'],
  ['我住在上海。', '搬到苏州以后，上班要一个小时。'],
  ['Ich arbeite bei Siemens.', 'Seit ich bei Bosch bin, stehe ich um fünf auf.'],
  ['Meine Freundin heißt Anna.', 'Meine neue Freundin Eva ist Veganerin.'],
  ['我的医生姓王。', '我换了个医生，姓李。'],
];

test.each(MARKED)('"%s" is earlier than "%s", but stays a memory', (older, newer) => {
  expect(endingBy(older, newer)).toBe('All');
  expect(events(older, newer)).not.toContain('SUPERSEDE');
});

test.each([
  ["I'm allergic to nuts.", 'My allergy test came back negative.'],
  ["I'm allergic to nuts.", 'The nut allergy test was negative.'],
  ['Ich habe eine Nussallergie.', 'Mein Allergietest beim Arzt war komplett negativ.'],
  ['Soy alérgica a los frutos secos.', 'Mi prueba de alergia salió negativa.'],
  ['我对坚果过敏。', '我的过敏测试是阴性。'],
])('an allergy may hold in part after a test: "%s" and "%s"', (older, newer) => {
  expect(endingBy(older, newer)).toBe('Some');
  expect(events(older, newer)).not.toContain('SUPERSEDE');
});

const HOLDING: Readonly<Record<string, Pairs>> = {
  'of tools, teams and days': [
    ['I live in Leeds.', 'We moved to Postgres last month.'],
    ['I live in Leeds.', "We've just moved to Bitwarden."],
    ['I live in Leeds.', 'We moved to Snowflake for our analytics data.'],
    ['I live in Leeds.', 'We moved to TypeScript in May.'],
    ['I live in Leeds.', 'We moved to Confluence, so the old wiki is gone.'],
    ['I live in Leeds.', 'We moved to Duolingo for the kids.'],
    ['I live in Leeds.', 'We moved to Gold status.'],
    ['I live in Leeds.', 'I moved to Basecamp last week.'],
    ['I live in Leeds.', 'We moved to Mondays.'],
    ['I live in Leeds.', 'We moved to Marketing last month.'],
    ['I live in Leeds.', 'We moved to Zurich Insurance last year.'],
    ['I live in Leeds.', 'Since the move to Kubernetes we sleep better.'],
    ['I live in Leeds.', 'Since the move to Octopus our heating is cheaper.'],
    ['Ich wohne in Köln.', 'Seit dem Umzug auf AWS ist alles schneller.'],
  ],
  'of others': [
    ['I live in Leeds.', 'Our office moved to York.'],
    ['I live in Leeds.', "My sister's new flat in York is tiny."],
    ['I live in Leeds.', 'My parents new house in York needs a roof.'],
    ['Ich wohne in Köln.', 'Seit dem Umzug meiner Schwester nach Bonn sehe ich sie selten.'],
    ['Ich wohne in Köln.', 'Die neue Wohnung meiner Mutter in Bonn ist hell.'],
    ['Vivo en Sevilla.', 'El nuevo piso de mi hermana en Cádiz es pequeño.'],
    ['我住在上海。', '自从公司搬到苏州以后，我每天坐高铁。'],
    ['我住在上海。', '我姐姐在苏州的新家很大。'],
    ['I work at Acme.', 'My husband loves his new job at Globex.'],
    ['My boss is Tom.', "My sister's new boss Ines is strict."],
    ['我的医生是王芳。', '我妈换了个医生，姓李。'],
    ["I'm allergic to nuts.", "My son's allergy test came back negative."],
    ['My dentist appointment is on the 9th.', 'The vet pushed it to the 14th.'],
    ['Friseurtermin ist am 9.', 'Der Zahnarzt hat den Termin auf den 14. verschoben.'],
  ],
  'of another time': [
    ['I live in Leeds.', 'We moved to York when I was six.'],
    ['I live in Leeds.', 'We moved to York in 1998.'],
    ['I live in Leeds.', 'We moved to Bath for a month.'],
    ['I live in Leeds.', 'We might move to York next year.'],
    ['I live in Leeds.', "We're viewing a new flat in York tomorrow."],
    ['Ich wohne in Köln.', 'Vor dem Umzug nach Bonn muss ich noch streichen.'],
    ['Ich wohne in Köln.', 'Sobald unsere neue Wohnung in Bonn fertig ist, feiern wir.'],
    ['Vivo en Bilbao.', 'Busco un piso nuevo en Gijón.'],
    ['我住在上海。', '搬到苏州以前，我得先打包。'],
    ['I work at Acme.', 'I have an interview for my new job at Globex.'],
    ['I work at Acme.', 'Since I started at Easter, I lost weight.'],
  ],
  'of something else': [
    ['I live in Leeds.', 'Our new office in York is open.'],
    ['My mother lives in Leeds.', 'We moved to York in spring.'],
    ['I grew up in Leeds.', 'My new flat in York is lovely.'],
    ['Meine Frau heißt Eva.', 'Mein neuer Partner Tom und ich tanzen Salsa.'],
    ['I live in York.', 'Since the move to York I cycle everywhere.'],
    ['Ich wohne in Köln.', 'Unsere neue Ferienwohnung in Bonn ist toll.'],
    ['My boss is Tom.', 'My new colleague Ines is nice.'],
    ['My boss is Tom.', 'My new boss Tom is back.'],
    ['My doctor is Dr. Vega.', 'My new dentist Dr. Ruiz is good.'],
    ['I teach at Elm School.', 'I also teach at Oak College.'],
    ['I teach at Elm School.', 'I teach yoga at the gym.'],
    ['Ich unterrichte am Gymnasium.', 'Ich unterrichte mittwochs an der Musikschule.'],
    ['Ich unterrichte am Gymnasium.', 'Ich unterrichte jetzt am Nachmittag.'],
    ["I'm allergic to nuts.", 'My Covid test came back negative.'],
    ["I'm allergic to nuts.", 'My cat allergy test came back negative.'],
    ["I'm allergic to nuts.", "My allergy test wasn't negative."],
    ['Der Zahnarzt heißt Dr. Kern.', 'Der Zahnarzt hat den Termin auf den 14. verschoben.'],
    ['Mein Physiotermin ist am Freitag.', 'Der Physio hat mich auf Freitag verlegt.'],
  ],
};

describe.each(Object.entries(HOLDING))('what is said %s ends nothing', (_of, pairs) => {
  test.each(pairs)('"%s" stays beside "%s"', (older, newer) => {
    expect(endingBy(older, newer)).toBe('None');
    expect(events(older, newer)).not.toContain('SUPERSEDE');
  });
});
