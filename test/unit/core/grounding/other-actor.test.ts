/** Who does what a text says: its speaker, or somebody whom the speaker mentions. */
import { describe, expect, test } from 'vitest';
import { outcomeOf } from '#bench/grounding-cases.ts';

const CHANGED = [
  ['Sue', 'My brother painted the fence.', 'Sue painted the fence.'],
  ['Sue', 'My brother painted the fence.', 'Sue says she painted the fence.'],
  ['Sue', 'My brother painted the fence.', 'Sue and her brother painted the fence.'],
  ['Sue', 'Our team lead approved the budget.', 'The budget was approved by Sue.'],
  ['Sue', 'Carla told Tom to call the bank.', 'Carla will call the bank.'],
  ['Sue', 'I painted the fence while Tom watched.', 'Tom painted the fence.'],
  ['Sue', 'My sister is a nurse and my wife teaches math.', "Sue's sister teaches math."],
  ['Sue', 'I think my boss should apply.', "Sue's boss thinks he should apply."],
  ['Jan', 'Meine Frau isst noch Käse.', 'Jan isst noch Käse.'],
  ['Jan', 'Das Schloss tauscht der Hausmeister.', 'Jan tauscht das Schloss.'],
  [
    'Jan',
    'Ich habe das Fahrrad meines Bruders repariert.',
    'Jans Bruder hat das Fahrrad repariert.',
  ],
  ['Ana', 'Mi hermano la lleva al médico los jueves.', 'Ana la lleva al médico los jueves.'],
  ['Ana', 'De las entradas se encarga Luis.', 'Ana se encarga de las entradas.'],
  ['Ana', 'Arreglé la bici de mi hermano.', 'El hermano de Ana arregló la bici.'],
  ['王敏', '车票由小陈负责。', '王敏负责车票。'],
  ['王敏', '我妹妹明天去北京出差。', '王敏明天去北京出差。'],
  ['王敏', '我把车借给了小张。', '小张把车借给了王敏。'],
  ['Sue', 'Half of the staff work from home.', '60 percent of the staff work from home.'],
  ['Sue', 'We cancelled because of the rain.', 'They cancelled despite the rain.'],
  ['Sue', 'My sister is allergic to peanuts.', 'I am allergic to peanuts.'],
  ['Sue', 'Tom has a boat in Oslo.', 'I have a boat in Oslo.'],
  ['Sue', 'He is allergic to peanuts.', 'I am allergic to peanuts.'],
  ['Sue', 'You are allergic to peanuts.', 'I am allergic to peanuts.'],
  ['Sue', 'My sister eats nuts. I am fine.', 'I eat nuts.'],
  ['Jan', 'Meine Schwester ist allergisch gegen Nüsse.', 'Ich bin allergisch gegen Nüsse.'],
  ['Ana', 'Mi hermana es vegana.', 'Soy vegana.'],
  ['王敏', '我妹妹对花生过敏。', '我对花生过敏。'],
] as const;

const SAME = [
  ['Sue', 'Finished the draft and sent it to the editor.', 'Sue finished the draft.'],
  ['Sue', 'My sister and I inherited the house.', 'Sue and her sister inherited the house.'],
  ['Sue', 'My new job starts on Monday.', 'Sue starts a new job on Monday.'],
  ['Sue', 'Half of the staff work from home.', '50 percent of the staff work from home.'],
  ['Sue', 'I bought a dozen eggs.', 'Sue bought 12 eggs.'],
  ['Sue', 'I have been learning piano since 2019.', 'Sue started learning piano in 2019.'],
  ['Sue', 'I quit smoking.', 'Sue no longer smokes.'],
  ['Sue', 'I plan to sell my boat.', 'Sue wants to sell her boat.'],
  ['Sue', 'It rained, so we cancelled.', 'They cancelled because it rained.'],
  [
    'Jan',
    'Der Termin verschiebt sich auf den 2. November.',
    'Der Termin wurde auf den 2. November verschoben.',
  ],
  ['Jan', 'Wir nehmen am Samstag den Zug.', 'Jan nimmt am Samstag den Zug.'],
  ['Jan', 'Ich habe vor, das Boot zu verkaufen.', 'Jan plant, das Boot zu verkaufen.'],
  ['Ana', 'Cuidé a mi abuela en verano.', 'Ana cuidó a su abuela en verano.'],
  ['Ana', 'Los dos coches fallaron.', 'Ambos coches fallaron.'],
  ['王敏', '店面还没找到。', '王敏说目前尚未找到店面。'],
  ['王敏', '保险盒是我换的。', '王敏换了保险盒。'],
  ['Sue', 'My sister and I inherited the house.', 'I inherited the house.'],
  ['Sue', 'Started at Siemens in May.', 'I started at Siemens in May.'],
  ['Sue', 'My new job starts on Monday.', 'I start a new job on Monday.'],
  ['Jan', 'Mein neuer Job beginnt im Mai.', 'Ich beginne im Mai einen neuen Job.'],
  ['Ana', 'Vivo en Lyon y soy alérgica a la penicilina.', 'Soy alérgica a la penicilina.'],
  ['王敏', '我的新工作下周一开始。', '我下周一开始新工作。'],
] as const;

function outcome(speaker: string, text: string, claim: string): string {
  const sources = [{ id: 's1', at: '2026-03-10', speaker, text }];
  return outcomeOf({ id: '', lang: '', kind: 'faithful', type: '', sources, claim });
}

describe('a claim about what somebody said', () => {
  test.each(CHANGED)('by %s, who said %j, does not stay as %j', (speaker, text, claim) => {
    expect(outcome(speaker, text, claim)).not.toBe('AsWorded');
  });

  test.each(SAME)('by %s, who said %j, stays as %j', (speaker, text, claim) => {
    expect(outcome(speaker, text, claim)).toBe('AsWorded');
  });
});
