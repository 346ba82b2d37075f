/** How people say in Spanish that something no longer holds. */
import { MONTHS, WEEKDAYS } from '../../text/calendar-words.ts';
import { anyWholeWord, oneOf } from '../../text/pattern.ts';
import { byWord, wordSet } from '../../text/word-lists.ts';
import { correctionMaker, RULE_OPTIONS, type CorrectionBook } from '../correction-book.ts';
import { IN_PASSING } from './medicines-and-events.ts';

const NAME = String.raw`\p{Lu}\p{Ll}[\p{L}-]+`;
const POSSESS = String.raw`tengo, tiene, tenemos, conduzco, conduce, mi \p{L}+ (?:es|se llama)`;
const USE = String.raw`
  us\p{L}+, utiliz\p{L}+, somos, es, son, está, con, en, trabaj\p{L}+, compr\p{L}+
`;
const HABIT = String.raw`
  estudi\p{L}+, aprend\p{L}+, jueg\p{L}+, jugamos, fum\p{L}+, beb\p{L}+, tom\p{L}+, com\p{L}+, hago,
  hace, entren\p{L}+, voy, va, vamos, soy, socio, socia, toc\p{L}+, practic\p{L}+, asist\p{L}+,
  leo, canto, doy
`;
const HELD = anyWholeWord([HABIT, USE, POSSESS].join(','));
const COUPLE = anyWholeWord(`
  novio, novia, pareja, marido, mujer, esposa, esposo, salgo, casad[oa], prometid[oa]
`);
const OWN = String.raw`
  yo, mi, mis, me, nos, nuestr[oa]s?, el usuario, la usuaria, vivo, trabajo, soy, tengo, estudio,
  fumo, juego, uso, usamos, tomo, bebo, como, voy, estoy, hablo, prefiero, aprendo, conduzco,
  tenemos, somos, estamos, vivimos, trabajamos, quiero, llevo, doy, hago, toco, compramos, canto,
  practico, leo
`;
const KIN = `
  hermana, hermano, madre, padre, padres, hijo, hija, hijos, mujer, marido, esposa, esposo,
  pareja, novio, novia, amigo, amiga, compañer[oa], primo, prima, tía, tío, abuel[oa]
`;
/** Names somebody who does something for the speaker, such as a boss or a doctor. */
const SERVES =
  String.raw`^(?:mi|nuestr[oa]) (?!${oneOf(KIN)})\p{L}+ (?:es|se llama)|` +
  `es (?:mi|nuestr[oa]) (?!${oneOf(KIN)})`;
/** Says that somebody works toward something or waits for it. */
const PURSUIT = anyWholeWord(`
  estudi\\p{L}+ para, prepar\\p{L}+, busc\\p{L}+, leyendo, escribiendo, esper\\p{L}+,
  lista de espera
`);
const MANY = 'perr, gat, amig, compañer, proyect, client, libr, vecin';
const VERBS = `
  es, son, está, están, será, era, fue, tiene, tienen, cuesta, vale, sale, dura, termina, empieza,
  queda, cierra, abre, corre, usa, funciona, va, llega, acaba, vence, asciende
`;

/** Days and, before them, verbs that say that an appointment is at another time. */
const MOVED = oneOf(`
  pasado, movido, cambiado, aplazado, retrasado, adelantado, pospuesto, pasó, movió, cambió, aplazó,
  retrasó, adelantó, pospuso, pasar, mover, cambiar, aplazar, retrasar, adelantar
`);

const { pattern, gone, state, stateOf } = correctionMaker({
  NAME,
  I: String.raw`(?:^|[\s,])(?:[Yy]o )?(?:[Yy]a )?(?:(?:me|nos) )?`,
  GONE:
    String.raw`(?!en\s)(?:${oneOf('el, la, los, las, mis?, una?, de, al?, nuestr[oa]')}\s)*` +
    String.raw`(?<gone>[\p{L}\p{N}][^.,;:!?]{1,30}?)(?=\s*(?:[.,;:!?]|$)|` +
    String.raw`\s${oneOf(`
      y, pero, porque, desde, después, hace, para, en, el, este, la semana, ayer
    `)}\s)`,
  PLAN: String.raw`(?<gone>[^.,;:!?]{3,50}?)(?=[.,;:!?]|$|\s(?:porque|y)\s)`,
  REST: String.raw`(?<gone>[\p{L}\p{N}][^.,;:!?]{1,30}?)(?=[.,;:!?]|$)`,
  ITS: `${oneOf('[Ee]l, [Ll]a, [Ll]os, [Ll]as, [Mm]i, [Nn]uestr[oa]')} `,
  THING: String.raw`(?<thing>\p{L}+(?: de (?:la |los )?\p{L}+)?)`,
  TO: String.raw`(?:\s(?:del?|desde)\s.{1,20}?)?\s(?:al?|hasta|para)\s(?<value>[^.;!?]{1,40})`,
  /** A new day, to which something is moved. */
  DAY:
    String.raw`(?:próximo )?(?<when>` +
    String.raw`(?:${WEEKDAYS.es}|\d{1,2} de \p{Ll}+)` +
    '[^.,;:!?]{0,20})',
  HAVE: '(?:[Tt]engo|[Tt]enemos) una?',
  /** Stems of verbs, including irregular ones such as `reduj`. */
  CUT: oneOf(`
    aplaz, retras, adelant, reduj, recort, baj, sub, aument, mov, pas, cambi, traslad, ampli, elev,
    reprogram, mud, pospus, pospuest, renov, prorrog, extend
  `),
  BEGUN: oneOf(
    'Renov, Prorrog, Reduj, Sub, Baj, Cambi, Aplaz, Mov, Pas, Retras, Adelant, Ampli, ' +
      'Aument, Recort, Pospus',
  ),
  DID: oneOf('eron, ieron, aron, é, amos, imos, id[oa], ad[oa], ijo, o, ó, ió, a'),
});

export const ES_CORRECTIONS: CorrectionBook = {
  gone: [
    gone(`{I}${oneOf('[Dd]ejé, [Dd]ejamos, [Hh]e dejado, [Rr]enuncié, [Aa]bandoné')} {GONE}`, HELD),
    gone(
      `{I}${oneOf('[Cc]ancelé, [Cc]erré, [Cc]erramos, [Aa]nulé, [Hh]e cancelado, [Dd]i de baja')}` +
        ' {GONE}',
      HELD,
    ),
    gone(
      `{I}${oneOf('[Cc]ancelamos, [Cc]ancelé, [Aa]nulamos, [Hh]emos cancelado')} {ITS}{PLAN}`,
      '',
      { isWhole: true, ...RULE_OPTIONS.anybody },
    ),
    gone('^(?<who>{NAME}|[Mm]i \\p{L}+) (?:dejó|ha dejado|abandonó) {GONE}', HELD),
    gone(
      `{I}${oneOf('[Vv]endí, [Vv]endimos, [Hh]e vendido, [Rr]egalé, [Pp]erdí')} {GONE}`,
      anyWholeWord(POSSESS),
    ),
    gone(
      '(?:{ITS}(?:\\p{Ll}+ )??|(?:^|[,;] |[Dd]esde que )(?=\\p{Lu}))(?<gone>\\p{L}+) ' +
        '(?:se )?(?:murió|falleció|ha muerto)',
      anyWholeWord(POSSESS),
    ),
    gone(
      `{I}${oneOf('[Cc]ambi, [Hh]emos cambi, [Hh]e cambi, [Rr]eemplac, [Ss]ustitu')}(?:{DID}|í) ` +
        '(?:(?:el|la|de) )?(?<gone>[^.,;:!?]{2,30}?) (?:por|a) ',
      HELD,
    ),
    gone(
      `{NAME} ${oneOf('sustituye, reemplaza, releva, sustituyó, reemplazó')} a (?<gone>{NAME})` +
        '(?: como (?<as>[^.,;:!?]{3,30}))?',
      HELD,
      RULE_OPTIONS.anybody,
    ),
    gone(
      ` (?:en vez de|en lugar de) (?:${oneOf('en, el, la, los, a, al, de, con')} )*{REST}`,
      '',
      RULE_OPTIONS.replaced,
    ),
    gone(
      `,(?: y)? no (?:${oneOf('en, el, la, los, a, al, de, con')} )+{REST}`,
      '',
      RULE_OPTIONS.replaced,
    ),
    gone(
      `^${oneOf('[Oo]lvida(?:te de)?, [Oo]lvídate de, [Nn]ada de, [Dd]escarta, [Ii]gnora')} ` +
        '(?:(?:el|la|lo de) )*{REST}',
      '',
      RULE_OPTIONS.replaced,
    ),
    gone(
      '(?:^|[,;] |[Dd]esde que )(?<gone>{NAME}) ' +
        '(?:se (?:jubiló|retiró|mudó|fue|salió|ha (?:jubilado|ido|retirado))|renunció|cerró su)',
      SERVES,
      RULE_OPTIONS.anybody,
    ),
    gone(
      `{I}${oneOf('[Aa]probé, [Tt]erminé, [Aa]cabé, [Cc]onseguí, [Ee]ncontré, [Ss]aqué')} {GONE}`,
      PURSUIT,
    ),
    gone('(?<gone>{NAME}) y yo (?:rompimos|nos separamos|hemos roto)', COUPLE, RULE_OPTIONS.kin),
    gone(
      '(?<gone>{NAME}) y yo lo (?:dejamos|hemos dejado)' +
        '(?=[.,;!]|$| (?:en \\p{Ll}+|ayer|hace .+|el .+ pasado|la semana pasada)[.,;!])',
      COUPLE,
      RULE_OPTIONS.kin,
    ),
    gone('(?:[Rr]ompí con|[Mm]e separé de) (?<gone>{NAME})', COUPLE, RULE_OPTIONS.kin),
    ...IN_PASSING.es.gone,
  ],
  set: [
    pattern('{ITS}{THING} (?:se (?:ha )?|ha |fue )?{CUT}{DID}{TO}'),
    pattern(
      '(?:^|(?<!\\b[Ll]es?)\\s)(?:[Nn]os |[Mm]e |[Ss]e )?(?:han |hemos )?' +
        '(?:{CUT}|{BEGUN}){DID} {ITS}{THING}{TO}',
    ),
    pattern(
      '(?:^|[,;] )(?:[Nn]os|[Mm]e) (?:sub|baj|aument|recort|aplaz|retras|adelant)(?:en|an|e|a) ' +
        '{ITS}{THING}{TO}',
    ),
    pattern(
      String.raw`(?:^|[,:]\s){ITS}{THING} (?:(?:l[ao]s?|se|nos|me) ){0,2}` +
        String.raw`(?:(?!dura|sigue|no\s)\p{Ll}+ (?:al|hasta el)|` +
        String.raw`(?:dej|pas|pon|mov|mud|traslad)\p{Ll}+ para el) {DAY}`,
    ),
    pattern(' (?:es ahora|ahora es) {ITS}{THING}(?=[.,;!]|$)'),
    pattern('{ITS}nuev[oa] {THING} (?:es|será|son)(?!\\p{L})'),
    pattern(`{HAVE} nuev[oa] (?!${oneOf(MANY)})(?<thing>\\p{L}+)(?=[.,;:!?]|$)`),
    pattern(`{HAVE} (?!${oneOf(MANY)})(?<thing>\\p{L}+) nuev[oa](?=[.,;:!?]|$)`),
  ],
  states: [
    // Un cambio que no hubo.
    state(
      String.raw`(?:^|[,;]\s)(?:pero |y |al final )?[Nn]o (?:me|nos) ` +
        String.raw`(?:mudé|mudamos|he mudado|hemos mudado)(?: al final| de verdad)?(?=[.,;!]|$)`,
      '^(?:[Mm]e|[Nn]os) (?:he |hemos )?mud(?:é|amos|ado) a ',
      RULE_OPTIONS.certain,
    ),
    state(
      String.raw`(?:^|[,;]\s)(?:pero |y |al final )?[Nn]o (?:he cambiado|cambié) de ` +
        String.raw`(?:trabajo|empresa|empleo)(?: al final)?(?=[.,;!]|$)`,
      '^(?:[Ee]mpecé|[Hh]e empezado|[Mm]e pasé|[Mm]e he pasado|[Mm]e cambié) (?:en|a) ',
      RULE_OPTIONS.certain,
    ),
    state(
      '(?:^|[Hh]oy |[Yy]a )(?:[Hh]e cumplido|[Cc]umpl[íoi]) (?<value>\\d{1,3})(?! de)',
      '^(?:Yo )?[Tt]engo (?<value>\\d{1,3}) años[.!]?$',
    ),
    state(
      '(?<who>(?:[Mm]i \\p{Ll}+ )?{NAME}) (?:ya )?' +
        '(?:ha cumplido|cumplió|cumple) (?<value>\\d{1,3})(?! de)',
      '^(?<who>(?:[Mm]i \\p{Ll}+ )?{NAME}) tiene (?<value>\\d{1,3}) años',
    ),
    // Un hijo más: `nació nuestro tercero`.
    state(
      String.raw`[Nn]ació (?:mi|nuestr[oa]) (?:segund|tercer|cuart|quint)[oa]?|` +
        String.raw`(?:[Mm]i|[Nn]uestr[oa]) (?:segund|tercer|cuart|quint)[oa]?` +
        String.raw`(?: \p{L}+)? (?:ya )?nació`,
      String.raw`^(?:Tengo|Tenemos) \p{L}+ (?:hij|niet|niñ)[oa]s?`,
    ),
    state(
      '(?<who>{ITS}\\p{L}+) (?:ya )?(?:está|funciona|fue|quedó)(?: ya)? ' +
        oneOf('arreglad, reparad, bien, de nuevo, otra vez'),
      '^(?<who>{ITS}\\p{L}+) está (?:rot|averiad|estropead)',
    ),
    state(
      '(?:[Hh]e bajado|[Bb]ajé|[Hh]e subido|[Ss]ubí) a [\\d.,]+ (?<who>\\p{L}+)',
      '^P\\p{L}+ [\\d.,]+ (?<who>\\p{L}+)',
    ),
    state(
      '(?<who>{NAME}) (?:se fue|se ha ido|se mudó|se marchó)(?: del? |\\.|,|$)',
      '(?:[Cc]omparto|[Vv]ivo|compañer[oa] de piso).* (?:con|es) (?<who>{NAME})',
    ),
    state(
      '(?:[Tt]engo|[Vv]ivo en|[Aa]lquilé) mi propi[oa] (?:piso|casa|apartamento)|[Vv]ivo sol[oa]|' +
        '[Mm]e (?:independicé|fui de casa)',
      '^(?:Vivo con|Comparto piso con)',
    ),
    state(
      '(?:[Mm]e casé|[Mm]e he casado|[Ee]stoy casad[oa]|[Nn]os casamos)',
      '^(?:Estoy|Soy) (?:solter|divorciad)',
    ),
    state(
      '(?:[Hh]e vuelto a|[Vv]olví a|[Vv]uelvo a|[Oo]tra vez) com\\p{L}+ ' +
        `${oneOf('carne, pescado, queso, huevos')}|` +
        '\\b[Cc]omo (?:carne|pescado|queso|huevos) (?:otra vez|de nuevo)',
      '^Soy (?:vegetarian|vegan)|^(?:Ya no|No) como (?:carne|pescado)|^Dejé de comer',
    ),
    state(
      String.raw`(?:[Ee]l|[Ll]a|[Mm]i) (?<who>\p{Ll}+) ` +
        String.raw`(?:(?:me |nos |se )*(?:la |lo )(?:ha |tuvo que )?${MOVED}|` +
        String.raw`(?:me |nos )?(?:ha |tuvo que )?${MOVED}(?:me|nos|la|lo)? ` +
        String.raw`(?:la|mi|nuestra) cita) ` +
        String.raw`(?:al|para el|hasta el) (?<value>\d{1,2}|${WEEKDAYS.es})`,
      String.raw`^(?=.*(?:\d|${WEEKDAYS.es})).*?(?<!\p{L})(?:cita|hora|turno|consulta|revisión) ` +
        String.raw`(?:con|en|de) (?:el|la|mi) (?<who>\p{Ll}+)`,
      RULE_OPTIONS.certain,
    ),
    stateOf('residence', '(?:[Tt]ras|[Dd]espués de) (?:la|nuestra|mi) mudanza a (?<value>{NAME})'),
    state(
      '^(?!.*(?:^| )no )(?:.*? )?[Mm]i (?:prueba|test|análisis) de alergia ' +
        '.*(?:negativ[oa]|limpi[oa])(?!\\p{L})',
      '(?:[Ss]oy|[Tt]engo) .*al[eé]rgi[ac]',
      RULE_OPTIONS.inPart,
    ),
    ...IN_PASSING.es.states,
  ],
  own: new RegExp(String.raw`^(?:por cierto,?\s)?(?:(?:ya )?no\s)?${anyWholeWord(OWN)}`, 'iu'),
  kin: new RegExp(String.raw`^(?:mi|mis|nuestr[oa]s?)\s${anyWholeWord(KIN)}`, 'iu'),
  determiner: /^(?:por cierto,?\s)?(?:(?:el|la|los|las|mi|nuestr[oa]|yo|ahora|al final)\s)*/iu,
  verb: new RegExp(`^${oneOf(VERBS)}$`, 'u'),
  bare: /(?!)/u,
  amount: new RegExp(
    String.raw`^(?:pago|pagamos|tomo|tomamos|uso|bebo|como) (?<value>.{1,30}?) (?:de|por|en) ` +
      String.raw`(?<thing>(?:el |la )?\p{L}+)(?=[.,;!]|$)`,
    'iu',
  ),
  opening: new RegExp(
    String.raw`^(?:(?:(?:corrección|(?:pequeño )?cambio(?: de planes?)?)[:,]|` +
      String.raw`en realidad,?|no,|resulta que|` +
      String.raw`(?:s[oó]lo )?(?:es|era|fue) (?:s[oó]lo )?(?:una )?broma[,.!:]?)\s|` +
      // What somebody else found out about the speaker, whom the verb form shows.
      String.raw`(?:el|la|los|las|mis?)(?: [\p{L}-]+){1,3} (?:me )?` +
      String.raw`(?:dicen?|dijo|dijeron|muestran?|confirman?|confirmó|ha dicho) que\s` +
      `(?=(?:ya )?(?:no )?(?:soy|estoy|tengo|puedo|vivo|trabajo|somos|tenemos)` +
      String.raw`(?!\p{L})))`,
    'iu',
  ),
  addition: /(?<!\p{L})(?:también|además|otr[oa])(?!\p{L})/iu,
  now: new RegExp(
    anyWholeWord(`
      ahora, actualmente, al final, ya no, en realidad, a partir de ahora, desde ahora, por fin,
      últimamente, de nuevo, hoy(?= cumpl)
    `),
    'giu',
  ),
  slots: wordSet('es son está en a las al el hasta desde de se llama'),
  negated: /(?<!\p{L})(?:no|nunca|ya no)(?!\p{L})/iu,
  negation: wordSet('ya no nunca más'),
  generic: wordSet('cuenta suscripción membresía contrato puesto trabajo cargo'),
  certain: new RegExp(
    anyWholeWord(String.raw`
      vendí, vendimos, he vendido, hemos vendido, regalé, dejé, dejamos, he dejado, dejó, ha dejado,
      renuncié, abandoné, abandonó, cancelé, cerré la cuenta, anulé, he cancelado, di de baja,
      murió, falleció, ha muerto, se murió, cambi\p{L}+, reemplac\p{L}+, sustitu\p{L}+, reemplaza,
      releva, rompí, rompimos, separamos, separé, roto, casé, casado, casada, casamos, arreglad,
      reparad, ya no
    `),
    'iu',
  ),
  doubt: new RegExp(
    anyWholeWord(String.raw`
      antes, cuando, mientras, hasta que, nunca, no, otr[oa]s?, también, segund[oa], primer[oa]?,
      viej[oa], hace (?:muchos )?años, (?:19|20)\d\d, su, sus, tu, tus, de niñ[oa], para,
      soñé, sueño, juego, casi, uno de, una de
    `),
    'iu',
  ),
  indefinite: /(?<!\p{L})una?\s/iu,
  narrower: new RegExp(
    String.raw`^\s(?:en (?!${MONTHS.es}|` +
      String.raw`(?:primavera|verano|otoño|invierno))|de |que |con )`,
    'iu',
  ),
  several: new RegExp(
    String.raw`,|${anyWholeWord('y, e, o, dos, tres, cuatro, varios, también, otr[oa]')}`,
    'iu',
  ),
  beside: /^(?:con|para|sobre|contra|como|que|cerca)$/u,
  things: byWord({
    número: 'número de teléfono, teléfono, móvil',
    jefe: 'jefa',
    médico: 'doctora, doctor, médica',
    casero: 'casera',
    peluquero: 'peluquera',
    veterinario: 'veterinaria',
  }),
};
