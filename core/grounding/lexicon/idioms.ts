/**
 * Idioms: several words with the meaning of one. Dictionaries of synonyms have few of them, but
 * people use them most when they reword a sentence.
 */
import type { Language } from '../../text/language.ts';
import { oneOf } from '../../text/pattern.ts';

/** Per line: a word, and the idioms that mean it; `*` is the rest of a word. */
const IDIOMS: Readonly<Record<Exclude<Language, 'zh'>, string>> = {
  en: `
free: free of charge, at no cost, at no charge, without charge, costs nothing, cost nothing
attend: take part in, takes part in, took part in, taking part in, taken part in
cancel: call off, calls off, called off
postpone: put off, puts off, pushed back, push back
resign: step down, steps down, stepped down, hand* in his notice, hand* in her notice
resign: hand* in their notice, hand* in my notice
dismiss: let go, lets go, laid off, lay off, lays off
reject: turned down, turn down, turns down
approve: sign off on, signs off on, signed off on, green-lit, gave the green light to
perform: carry out, carries out, carried out
collect: pick up, picks up, picked up
deliver: drop off, drops off, dropped off
remove: take out, takes out, took out, taken out, get rid of, got rid of
install: put in place, put up
register: sign up, signs up, signed up
discover: find out, finds out, found out, come across, came across
demolish: tear down, tears down, tore down, torn down, knock* down, pull* down
quit: give up, gives up, gave up, given up
continue: go on with, goes on with, went on with, carr* on with
decide: the decision was made to, a decision was made to, decision was made to
manage: in charge of, responsible for, takes care of, take care of, took care of
care: look after, looks after, looked after, looking after
expire: run out, runs out, ran out, running out
punctual: on time, on schedule
early: ahead of time, ahead of schedule, earlier than planned
late: behind schedule, later than planned
use: make use of, makes use of, made use of
fill: fill in, fills in, filled in, fill out, filled out
replace: take over from, took over from, takes over from
thank: say thanks to, said thanks to
sell: on sale, for sale, up for sale
decide: make a decision, made a decision, made the decision, took the decision, reach a decision
agree: reach an agreement, reached an agreement, come to an agreement, came to an agreement
visit: pay a visit to, paid a visit to
explain: give an explanation, gave an explanation
help: lend a hand, lent a hand, give a hand, gave a hand
near: close to, next to, in the vicinity of
pregnant: expecting a baby, expecting a child, with child
married: tie the knot, tied the knot, got married, get married
not paid: unpaid, unsettled, overdue
not working: out of order, out of service
not changed: unchanged
not complete: incomplete, unfinished
allowed: not prohibited, not forbidden, not banned
retire: go into retirement, goes into retirement, went into retirement
`,
  de: `
gratis: kostet nichts, kosten nichts, ohne kosten, frei von kosten
rente: in rente gehen, geht in rente, ging in rente, in den ruhestand gehen, ruhestand
pünktlich: nach plan, planmäßig, fahrplanmäßig
informieren: bescheid geben, gibt bescheid, gab bescheid, bescheid sagen, sagt bescheid
entscheiden: die entscheidung fiel, entscheidung fiel, fiel die entscheidung, entscheidung gefallen
entscheiden: eine entscheidung treffen, entscheidung treffen, traf die entscheidung
entscheiden: traf eine entscheidung, entscheidung getroffen
benutzen: gebrauch machen von
verfügbar: zur verfügung
helfen: zur hand gehen, hilfe leisten, hilfe geleistet
absagen: fällt aus, fiel aus, fallen aus, fielen aus, ausgefallen, ausfällt
entlassen: auf die straße setzen, auf die straße gesetzt
anmelden: melden sich an, meldet sich an, meldete sich an
ankündigen: kündigt an, kündigte an, kündigten an, angekündigt
vorschlagen: schlägt vor, schlug vor, schlugen vor
ablehnen: lehnt ab, lehnte ab, lehnten ab
absprechen: spricht sich ab
teilnehmen: nimmt teil, nahm teil, nahmen teil, nehmen teil
ansehen: sieht sich an, sah sich an
mieten: zur miete
erlaubt: nicht verboten, nicht untersagt
nicht bezahlt: unbezahlt, unbeglichen
nicht verändert: unverändert
funktioniert nicht: außer betrieb
`,
  es: `
gratis: no cuesta nada, sin coste, sin costo, libre de cargo
necesitar: hace falta, hacen falta, hará falta, harán falta, hacía falta
usado: de segunda mano
participar: toma parte en, tomó parte en, tomaron parte en
jubilarse: se jubila, se jubiló, pasa a la jubilación
dimitir: presentó su dimisión, presentó la dimisión, presentó su renuncia
agradecer: dar las gracias, dio las gracias, da las gracias
contactar: ponerse en contacto, se puso en contacto, se pone en contacto
utilizar: hacer uso de, hizo uso de, hace uso de
decidir: tomó la decisión, tomaron la decisión, toma la decisión, se tomó la decisión
despedir: puso en la calle, pusieron en la calle
cancelar: dejó sin efecto, queda sin efecto
ayudar: echa una mano, echó una mano, echar una mano
puntual: a tiempo, según lo previsto
abandonar: se va de, se fue de, se marchó de
matricular: se da de alta, se dio de alta
acordar: llegaron a un acuerdo, llegó a un acuerdo, se pusieron de acuerdo
iniciar: puso en marcha, pusieron en marcha, pone en marcha
vender: a la venta, en venta
permitido: no está prohibido, no prohibido
no pagado: sin pagar, impagado, impagada, pendiente de pago
no funciona: fuera de servicio
`,
};

interface Idioms {
  readonly pattern: RegExp;
  readonly words: readonly string[];
}

const COMPILED = new Map(
  Object.entries(IDIOMS).map(([language, text]): [string, Idioms] => {
    const lines = text.trim().split('\n');
    const groups = lines.map((line) => {
      const phrases = line.slice(line.indexOf(':') + 1);
      return `(${oneOf(phrases).replaceAll('*', String.raw`\p{L}*`)})`;
    });
    return [
      language,
      {
        pattern: new RegExp(String.raw`(?<![\p{L}'])(?:${groups.join('|')})(?![\p{L}'])`, 'giu'),
        words: lines.map((line) => line.slice(0, line.indexOf(':'))),
      },
    ];
  }),
);

/** Returns a text with each idiom replaced by its word. */
export function withoutIdioms(plain: string, language: Language): string {
  const idioms = COMPILED.get(language);
  if (idioms === undefined) return plain;
  return plain.replaceAll(idioms.pattern, (found: string, ...groups: unknown[]) => {
    const at = groups.findIndex((group) => group !== undefined);
    return idioms.words[at] ?? found;
  });
}
