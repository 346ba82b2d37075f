/** Who does what one person tells another to do, and who is named after `by`. */
import { describe, expect, test } from 'vitest';
import { outcomeOf } from '#bench/grounding-cases.ts';

/** A text, the claims that it does not support, and those that it does. */
type Row = readonly [text: string, changed: readonly string[], same: readonly string[]];

const DELEGATED: readonly Row[] = [
  [
    'Ben told Ana to call the bank.',
    ['Ben called the bank.', 'Ben will call the bank.', 'Ana told Ben to call the bank.'],
    ['Ben told Ana to call the bank.', 'Ana is to call the bank.'],
  ],
  [
    'Ben asked Ana to call the bank.',
    ['Ben called the bank.'],
    ['Ben asked Ana to call the bank.', 'Ana is to call the bank.'],
  ],
  [
    'Yesterday Ben asked Ana to call the bank about the loan.',
    ['Ben called the bank about the loan.'],
    ['Ben asked Ana to call the bank.'],
  ],
  ['Ben wants Ana to call the bank.', ['Ben calls the bank.'], ['Ben wants Ana to call the bank.']],
  [
    'Ben reminded Ana to renew the passport.',
    ['Ben renewed the passport.'],
    ['Ben reminded Ana to renew the passport.', 'Ana is to renew the passport.'],
  ],
  ['Ben begged Ana to sell the boat.', ['Ben sold the boat.'], ['Ben begged Ana to sell it.']],
  ['Ben expects Ana to sell the boat.', ['Ben sells the boat.'], ['Ben expects Ana to sell it.']],
  ['Ben got Ana to sign the lease.', ['Ben signed the lease.'], ['Ben got Ana to sign it.']],
  ['Ben needs Ana to sign the lease.', ['Ben signs the lease.'], ['Ben needs Ana to sign it.']],
  ['Ben let Ana drive the van.', ['Ben drove the van.'], ['Ben let Ana drive it.']],
  ['Ben made Ana drive the van.', ['Ben drove the van.'], ['Ben made Ana drive it.']],
  ['Ben had asked his sister to paint the fence.', ['Ben painted the fence.'], []],
  [
    'Ben bat Ana, die Bank anzurufen.',
    ['Ben hat die Bank angerufen.', 'Ben rief die Bank an.', 'Ben ruft die Bank an.'],
    ['Ben bat Ana, die Bank anzurufen.', 'Ana soll die Bank anrufen.'],
  ],
  [
    'Ben hat Ana gebeten, das Boot zu verkaufen.',
    ['Ben verkauft das Boot.', 'Ben hat das Boot verkauft.'],
    ['Ben hat Ana gebeten, das Boot zu verkaufen.', 'Ben bat Ana, das Boot zu verkaufen.'],
  ],
  ['Gestern bat Ben seine Schwester, den Zaun zu streichen.', ['Ben strich gestern den Zaun.'], []],
  ['Ben ließ Ana den Wagen fahren.', ['Ben fuhr den Wagen.'], ['Ben ließ Ana den Wagen fahren.']],
  [
    'Ben will, dass Ana die Bank anruft.',
    ['Ben ruft die Bank an.', 'Ben will die Bank anrufen.'],
    ['Ben will, dass Ana die Bank anruft.'],
  ],
  [
    'Ben le pidió a Ana que llamara al banco.',
    ['Ben llamó al banco.', 'Ben llama al banco.'],
    ['Ben le pidió a Ana que llamara al banco.', 'Ben pidió a Ana que llamara al banco.'],
  ],
  [
    'Ben quiere que Ana venda el barco.',
    ['Ben vende el barco.', 'Ben quiere vender el barco.'],
    ['Ben quiere que Ana venda el barco.'],
  ],
  [
    'Mi jefa pidió a Luis que escribiera el informe.',
    ['Mi jefa escribió el informe.'],
    ['Mi jefa pidió a Luis que escribiera el informe.'],
  ],
  ['Ben dejó a Ana conducir la furgoneta.', ['Ben condujo la furgoneta.'], []],
  [
    'Ben le dijo a Ana que pagara la factura.',
    ['Ben pagó la factura.'],
    ['Ben le dijo a Ana que pagara la factura.'],
  ],
  [
    'Ben让Ana给银行打电话。',
    ['Ben给银行打电话。', 'Ben给银行打电话了。'],
    ['Ben让Ana给银行打电话。'],
  ],
  ['小王请小李修车。', ['小王修车。', '小王修车了。'], ['小王请小李修车。', '小李要修车。']],
  ['李明叫王芳去订酒店。', ['李明订酒店。', '李明去订酒店。'], ['李明叫王芳订酒店。']],
  ['李明要求王芳写报告。', ['李明写报告。'], ['李明要求王芳写报告。']],
  ['经理派小张去上海出差。', ['经理去上海出差。'], ['小张去上海出差。']],
  // Those who leave nothing to anybody do it themselves.
  ['Ben promised Ana to call the bank.', [], ['Ben promised to call the bank.']],
  ['Ben wants to call the bank.', [], ['Ben wants to call the bank.']],
  ['Ben drove to Lyon to see Ana.', [], ['Ben drove to Lyon to see Ana.']],
  ['Ben took the train to visit Ana.', [], ['Ben visits Ana.']],
  ['Ben versprach Ana, die Bank anzurufen.', [], ['Ben versprach, die Bank anzurufen.']],
  ['Ben prometió a Ana vender el barco.', [], ['Ben prometió vender el barco.']],
  ['El barco que Ana vendió es de Ben.', [], ['Ana vendió el barco.']],
  ['Ben asked Ana for the number and called the bank.', [], ['Ben called the bank.']],
  ['小王请小李修车，自己买菜。', [], ['小王买菜。']],
  ['Ben bat Ana um Rat und rief die Bank an.', [], ['Ben rief die Bank an.']],
];

/** What somebody has done by somebody else. */
const CAUSED: readonly Row[] = [
  [
    'Ben had the login fixed by Ana.',
    ['Ben fixed the login.', 'Ben had already fixed the login.'],
    ['Ben had the login fixed by Ana.', 'Ben had the login fixed.'],
  ],
  ['Ben got the report written by Ana.', ['Ben wrote the report.'], []],
  ['I had the fence painted by Tom.', ['I painted the fence.'], ['I had the fence painted.']],
  ['The landlord had the roof repaired by Tom.', ['The landlord repaired the roof.'], []],
  [
    'Ben ließ den Login von Ana reparieren.',
    ['Ben hat den Login repariert.'],
    ['Ben ließ den Login reparieren.', 'Ana hat den Login repariert.'],
  ],
  [
    'Ben hat den Login von Ana reparieren lassen.',
    ['Ben hat den Login repariert.'],
    ['Ben hat den Login reparieren lassen.', 'Ben ließ den Login reparieren.'],
  ],
  ['Ich ließ den Zaun streichen.', ['Ich habe den Zaun gestrichen.'], []],
  ['Meine Mutter ließ das Auto waschen.', ['Meine Mutter hat das Auto gewaschen.'], []],
  ['Gestern ließ Ben den Zaun von Ana streichen.', ['Ben hat gestern den Zaun gestrichen.'], []],
  [
    'Ben hizo arreglar el acceso por Ana.',
    ['Ben arregló el acceso.'],
    ['Ben hizo arreglar el acceso.', 'Ana arregló el acceso.'],
  ],
  ['Ben mandó arreglar el acceso.', ['Ben arregló el acceso.'], ['Ben mandó arreglar el acceso.']],
  ['Mi madre mandó lavar el coche.', ['Mi madre lavó el coche.'], []],
  ['Mandé pintar la valla.', ['Pinté la valla.'], ['Mandé pintar la valla.']],
  ['小明让小丽修了登录。', ['小明修了登录。'], ['小丽修了登录。']],
  ['我请王芳订了酒店。', ['我订了酒店。'], ['王芳订了酒店。']],
  // A perfect, a result of one's own work, and another verb are no such order.
  ['Ben had already fixed the login.', [], ['Ben fixed the login.']],
  ['Ben had the report finished by Friday.', [], ['Ben finished the report.']],
  ['Ben had a meeting and fixed the login.', [], ['Ben fixed the login.']],
  ['Ben ließ das Auto stehen und reparierte den Zaun.', [], ['Ben reparierte den Zaun.']],
  ['Ben ließ Ana den Wagen fahren.', [], ['Ana hat den Wagen gefahren.']],
  ['Ben hizo la cena y arregló el acceso.', [], ['Ben arregló el acceso.']],
  ['Ben mandó un correo y arregló el acceso.', [], ['Ben arregló el acceso.']],
];

const AGENTS: readonly Row[] = [
  [
    'The login was fixed by Ana, and Ben reviewed it.',
    ['Ben fixed the login.', 'The login was fixed by Ben.', 'Ana reviewed the login.'],
    ['Ana fixed the login.', 'Ben reviewed the login.', 'The login was fixed by Ana.'],
  ],
  [
    'Der Login wurde von Ana behoben, und Ben hat den Bericht geprüft.',
    ['Ben hat den Login behoben.', 'Der Login wurde von Ben behoben.'],
    ['Ana hat den Login behoben.', 'Ben hat den Bericht geprüft.'],
  ],
  [
    'El error fue arreglado por Ana, y Ben lo revisó.',
    ['Ben arregló el error.', 'El error fue arreglado por Ben.'],
    ['Ana arregló el error.', 'Ben revisó el error.'],
  ],
  [
    'The tickets were bought by my sister, and Ben paid the hotel.',
    ['Ben bought the tickets.'],
    ['Ben paid the hotel.'],
  ],
];

const claimsOf = (rows: readonly Row[], side: 1 | 2): (readonly [string, string])[] =>
  rows.flatMap((row) => row[side].map((claim) => [row[0], claim] as const));

function outcome(text: string, claim: string): string {
  const sources = [{ id: 's1', at: '2026-03-10', text }];
  return outcomeOf({ id: '', lang: '', kind: 'faithful', type: '', sources, claim });
}

describe('a claim about what one person tells another to do', () => {
  test.each(claimsOf(DELEGATED, 1))('of %j does not stay as %j', (text, claim) => {
    expect(outcome(text, claim)).not.toBe('AsWorded');
  });

  test.each(claimsOf(DELEGATED, 2))('of %j stays as %j', (text, claim) => {
    expect(outcome(text, claim)).toBe('AsWorded');
  });
});

describe('a claim about what somebody has done by another', () => {
  test.each(claimsOf(CAUSED, 1))('of %j does not stay as %j', (text, claim) => {
    expect(outcome(text, claim)).not.toBe('AsWorded');
  });

  test.each(claimsOf(CAUSED, 2))('of %j stays as %j', (text, claim) => {
    expect(outcome(text, claim)).toBe('AsWorded');
  });
});

describe('a claim about a passive that names its actor', () => {
  test.each(claimsOf(AGENTS, 1))('of %j does not stay as %j', (text, claim) => {
    expect(outcome(text, claim)).not.toBe('AsWorded');
  });

  test.each(claimsOf(AGENTS, 2))('of %j stays as %j', (text, claim) => {
    expect(outcome(text, claim)).toBe('AsWorded');
  });
});
