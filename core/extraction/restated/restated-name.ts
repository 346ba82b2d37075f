/**
 * Reads names and words as values that a person or thing has one of at a time (restated-value.ts):
 * what somebody drives, is called or works as, and who has a role.
 */
import { anyOf, anyWord, oneOf, type Pattern } from '../../text/pattern.ts';
import { prefilter } from '../../text/prefilter.ts';
import { topicOf, type ValueOfTopic } from './restated-topic.ts';

const NAME_WORD =
  String.raw`(?:\p{Lu}[^\s,;:!?]*|[^\s,;:!?]*[\d@][^\s,;:!?]*|` +
  String.raw`\p{Ll}[\p{L}-]*\.\p{Ll}{2,})`;
const TITLE = oneOf(String.raw`
  (?:el |la )?(?:doctora?|profesora?|señora?), Herr, Frau, Dr\., Mr\.?, Mrs\.?, Ms\.?
`);
const NAME = `(?:${TITLE} )?${NAME_WORD}(?: (?:(?:of|de|von|del|the) )?${NAME_WORD}){0,3}`;
/** Words before a thing that show that one particular thing is meant. */
const OWNED = oneOf(String.raw`
  my, our, the, mein\p{L}*, unser\p{L}*, der, die, das, mi, nuestr[oa], el, la
`);
/** The person or thing that has the value. */
const WHO = String.raw`(?<who>I|we|ich|wir|${OWNED} [^\d,;:]{1,40}?|\p{Lu}\p{Ll}+)`;
const NOW = oneOf('now, currently, jetzt, nun, gerade, derzeit, zurzeit, ahora, actualmente');

/** A person or a role, unlike what `report to work` means. */
const PERSON = String.raw`(?:the |der |dem )?\p{Lu}`;
/** What people have one of at a time, with the verbs that say so. */
const ONE_OF: readonly (readonly [topic: string, verbs: string])[] = [
  ['drive', "(?:drives?|(?:am|is|are|'m|’m) driving|fahren?|fährt|conduzco|conduce)"],
  ['read', "(?:(?:am|is|'m|’m) reading|lese|liest|(?:estoy|está) leyendo)"],
  ['watch', "(?:(?:am|is|are|'m|’m|'re|’re) (?:re)?watching|(?:estoy|está|estamos) viendo)"],
  ['home', "(?:lives?|(?:am|is|are|'m|’m|'re|’re) living) (?:in|at|on)"],
  ['home', '(?:wohn|leb)(?:e|t|en) (?:in|am|auf)(?: (?:der|dem|einer|einem))?|viv(?:o|e|imos) en'],
  ['flatmates', '(?:lives?|living|wohne|wohnt|wohnen|vivo|vive|vivimos) (?:with|mit|con)'],
  [
    'job',
    "(?:works?|(?:am|is|are|'m|’m) working|arbeite[nt]?|trabaj(?:o|a|amos)) (?:as|als|de|como)",
  ],
  [
    'employer',
    "(?:works?|(?:am|is|are|'m|’m) working|arbeite[nt]?|trabaj(?:o|a)) (?:at|for|beim?|para)",
  ],
  ['workplace', '(?:works?|working) (?:in|at) an?|arbeite[nt]? in eine[mr]|trabaj(?:o|a) en una?'],
  ['boss', String.raw`(?:reports? to|berichte[nt]? an|reporta a)(?= ${PERSON})`],
  ['bank', '(?:banks?) with'],
  ['study', "(?:stud(?:y|ies)|majors? in|(?:am|is|'m|’m) (?:studying|majoring in))"],
  ['study', 'studier(?:e|t|en)|estudi(?:o|a)'],
  ['called', "(?:is|are|'s) (?:called|named)|goes by|heiß(?:t|en)|se llaman?"],
  ['deploy', '(?:deploys?) (?:through|with|via)'],
  ['host', 'hosts? (?:it |everything )?on'],
  ['train', '(?:train|work out|lift|trainiere) (?:at|with|bei)'],
  ['commute', '(?:commutes?|gets? to work|goes? to work) (?:by|on|via)'],
  ['team', "(?:am|is|'m|’m) (?:in|on) (?:the |team )?(?=[^,;]{1,30} (?:team|squad|crew|track)$)"],
  ['team', '(?:bin|ist) (?:im|in) (?:Team|der Abteilung|der Klasse)'],
  ['team', '(?:estoy|está) en (?:el equipo|el departamento|la clase|el turno|el grupo) del?'],
  ['partner', "(?:am|is|'m|’m) (?:dating|married to|engaged to|going out with)"],
  ['partner', 'salgo con|(?:estoy|está) casad[oa] con|bin (?:verheiratet|zusammen) mit'],
];
/** Words after which a sentence says where, when, with whom or how much. */
const PREPOSITION = oneOf(`
  in, an, at, on, to, en, bei, with, for, from, im, seit, mit, by, zu[mr]?, nach, por, a, gerne?,
  viel, oft, lieber, immer, lot, more, less, mostly, often, mucho, más
`);
const ONE_OF_PATTERNS = ONE_OF.map(
  ([topic, verbs]) =>
    [
      topic,
      new RegExp(
        String.raw`^(?:${WHO}(?:\s|(?=['’])))?(?:${NOW} )?(?:${verbs}) (?:${NOW} )?` +
          String.raw`(?:(?:an?|the|einen?|eine[mr]?|das|dem|der|den|una?|el|la) )?` +
          String.raw`(?!${PREPOSITION} )` +
          String.raw`(?<value>.{2,60})$`,
        'u',
      ),
    ] as const,
);
/** Topics that also depend on the kind of the value: a town, a street, or `a small flat`. */
const OF_KINDS: ReadonlySet<string> = new Set(['home', 'employer']);

/** Things with one value at a time, which may be any word. */
const ANY_WORD = oneOf(String.raw`
  favou?rite [\p{L} ]+, mascot, elective, job, role, job title, user ?name, handle, nickname,
  (?:[\p{L}]+ )?language, diet, shift, theme, major, password, (?:\p{L}+ )?branch, license,
  code name, status, Lieblings\p{L}+, Maskottchen, Beruf, Rolle, Spitzname, Schicht, Passwort,
  Sprache, Lizenz, Status, [\p{L}]+ (?:favorit[oa]|preferid[oa]), mascota, puesto, usuario, apodo,
  turno, idioma, contraseña, licencia, profesión, estado
`);
/** Things with one value at a time, which must have a capital or a digit. */
const ANY_NAME = oneOf(String.raw`
  address, ringtone, avatar, wallpaper, subscription, editor, browser, database, size, car, phone,
  laptop, bike, bank, time ?zone, domain, plan, gym, home airport, blood type,
  insurance, provider, supplier, venue, locker, seat, currency, team, stack,
  Adresse, Klingelton, Editor, Browser, Datenbank, Größe, Auto, Handy, Laptop, Fahrrad, Bank,
  Stromanbieter, Versicherung, Tarif, dirección, tono, navegador, base de datos,
  talla, coche, móvil, portátil,
  bici, banco, equipo, gimnasio, seguro
`);
/** `My favorite tea is sencha`. */
const SLOT = new RegExp(
  String.raw`^(?<who>${OWNED} ` +
    String.raw`(?:\p{L}+ ){0,2}?(?:(?<any>${ANY_WORD})|${ANY_NAME})` +
    String.raw`(?: (?:for|of|on|at|in|this|de|del|für|von|im|am) [^,;:]{1,30}?)?) ` +
    String.raw`(?:is|are|ist|sind|es|son)(?: ${NOW})? ` +
    String.raw`(?:(?:an?|the|eine?|una?|el|la|der|die|das) )?(?<value>.{2,50})$`,
  'u',
);
/** `I'm taking chemistry as my elective`. */
const AS = new RegExp(
  String.raw`^(?:(?:I|we)(?: am|['’]m|['’]re)? )?(?:tak|us|play)(?:e|ing) ` +
    String.raw`(?<value>[^,;:]{2,30}) as ` +
    String.raw`(?<who>(?:my|our|the) [^,;:]{2,40})$|` +
    String.raw`^(?:(?:ich|wir) )?(?:nutz|verwend|nehm)en? (?<valueDe>[^,;:]{2,30}) als ` +
    String.raw`(?<whoDe>(?:mein\p{L}*|unser\p{L}*|den|die|das)? ?\p{Lu}[^,;:]{2,40})$|` +
    String.raw`^us(?:o|amos) (?<valueEs>[^,;:]{2,30}) como (?<whoEs>[^,;:]{2,40})$`,
  'u',
);
/** What follows says something else than a value: `is called Ruth`, `is from Leeds`. */
const NO_NAME = new RegExp(
  `^${oneOf('called, named, from, in, on, at, with, for, aus, von, in, mit, bei, de, en, con')} `,
  'iu',
);
const NAMED_OR_NUMBERED = /\p{Lu}|\d/u;
/** A German noun, which is capitalized like a name. */
const NOUN = /^\p{Lu}\p{Ll}+$/u;
/** Adjectives for where people come from or what they believe, which are no names. */
const OF_PEOPLE =
  /^\p{L}+(?:ish|ese|an|ic)$|^(?:French|Dutch|Greek|Swiss|Thai|Czech|Muslim|Hindu|Jew)$/u;

/** `Priya is the tech lead on Atlas`: one person has that role. */
const HOLDER = new RegExp(
  String.raw`^(?<value>${NAME}) (?:is|ist|es)(?: ${NOW})? ` +
    String.raw`(?<role>${OWNED} [^,;:]{2,50})$`,
  'u',
);
/** `Lea took over as project lead`. */
const TOOK_OVER = new RegExp(
  String.raw`^(?<value>${NAME}) ` +
    String.raw`(?:(?:(?:has|is|have|just|now|officially) )*` +
    String.raw`(?:took|taken|takes|taking) over as (?:our |the |my )?(?<role>[^,;:]{2,50})|` +
    String.raw`hat (?:jetzt |nun |inzwischen )?als ` +
    String.raw`(?:unsere? )?(?<roleDe>[^,;:]{2,50}) übernommen|` +
    String.raw`übernimmt (?:jetzt |nun )?als (?<roleNow>\p{Lu}[^,;:]{2,50})|` +
    String.raw`(?:(?:ya|ahora) )?(?:asumió|asume|ha asumido|tomó el relevo) como ` +
    String.raw`(?:nuestr[oa] )?(?<roleEs>[^,;:]{2,50}))$`,
  'u',
);

/** Returns a sentence that somebody has taken over a role as one that they have it. */
export function asHolder(said: string): string {
  const { value, role, roleDe, roleNow, roleEs } = TOOK_OVER.exec(said)?.groups ?? {};
  const held = role ?? roleDe ?? roleNow ?? roleEs;
  return value === undefined || held === undefined ? said : `${value} is the ${held}`;
}

/** Relations of a thing to one other at a time: `owned by Ann`, `in Dublin`, `hosted on AWS`. */
const BY = oneOf(
  'owned, led, run, maintained, managed, headed, hosted, built, written, deployed, stored, made',
);
const HOLDING = `(?:in|at|on|called|named|${BY} (?:by|on|in|with))`;
/** Words that mean something else in each text. */
const POINTING = oneOf(`
  This, That, These, Those, It, He, She, They, We, I, You, There, Here, Who, What, Das, Dies, Es,
  Er, Sie, Wir, Ich, Hier, Dort, Esto, Este, Esta, Eso, Ella, Él, Aquí, Quien
`);
const HELD = new RegExp(
  String.raw`^(?<role>(?:${OWNED}|\p{Lu}[\p{L}’'-]*['’]s) [^\d.;:,?!]{1,50}?|` +
    String.raw`(?!${POINTING} )\p{Lu}[\p{L}-]+) (?:${NOW} )?(?<verb>is|ist|es|está en) ` +
    String.raw`(?:${NOW} )?(?<holding>${HOLDING} )?(?:(?:an?|una?|eine?)(?: tal)? )?` +
    String.raw`(?<value>${NAME})$`,
  'u',
);
/** People and things that there are several of, or that are no role. */
const SEVERAL = anyOf(
  anyWord(String.raw`
    friends?, colleagues?, co-?workers?,
    (?:step|half-)?(?:brother|sister|son|daughter)s?(?:-in-law)?, cousins?, neighbou?rs?, aunts?,
    uncles?, nephews?, nieces?, child(?:ren)?, kids?, cats?, dogs?, pets?,
    (?:room|flat|team|class)mates?, students?, clients?, customers?, partners?, one, other, best,
    new, problem,
    amig[oa]s?, herman[oa]s?, hij[oa]s?, prim[oa]s?, vecin[oa]s?, t[ií][oa]s?, compañer[oa]s?,
    gat[oa]s?, perr[oa]s?, clientes?, nuev[oa], mejor, Freund\p{L}*, Kolleg\p{L}*, Bruder,
    Schwester, Sohn, Tochter, Nachbar\p{L}*, Tante, Onkel, Kind, Katze, Hund, Kund\p{L}*,
    neue\p{L}?, beste\p{L}?, user, nutzer, usuario
  `),
);

export const NAME_PATTERNS: readonly Pattern[] = [
  ...ONE_OF_PATTERNS.map(([, pattern]) => pattern),
  SLOT,
  AS,
  HOLDER,
  HELD,
];
const likelyPatterns = prefilter(NAME_PATTERNS);

/** @param said a sentence without an opening, remarks and a period */
export function restatedNames(said: string): readonly ValueOfTopic[] {
  const likely = likelyPatterns(said);
  if (likely.size === 0) return [];
  // The first word of a sentence may be a name or not, so both spellings are tried.
  const spoken = `${said.charAt(0).toLowerCase()}${said.slice(1)}`;
  return [...namesIn(said, likely), ...namesIn(spoken, likely)];
}

function namesIn(said: string, likely: ReadonlySet<Pattern>): readonly ValueOfTopic[] {
  const groupsOf = (pattern: Pattern): Groups | undefined =>
    likely.has(pattern) ? pattern.exec(said)?.groups : undefined;
  const found: ValueOfTopic[] = [];
  for (const [kind, pattern] of ONE_OF_PATTERNS) {
    const { who = '', value } = groupsOf(pattern) ?? {};
    if (value === undefined) continue;
    const shape = OF_KINDS.has(kind) ? shapeOf(value) : '';
    found.push([topicOf(`${kind}${shape}`, who), value]);
  }
  const slot = groupsOf(SLOT);
  if (slot !== undefined && hasOneValue(slot)) {
    found.push([topicOf('slot', slot['who'] ?? ''), slot['value'] ?? '']);
  }
  const as = groupsOf(AS);
  const [value = '', who = ''] = [
    as?.['value'] ?? as?.['valueDe'] ?? as?.['valueEs'],
    as?.['who'] ?? as?.['whoDe'] ?? as?.['whoEs'],
  ];
  if (value !== '') found.push([topicOf('slot', who), value]);
  const held = groupsOf(HOLDER) ?? groupsOf(HELD);
  if (held !== undefined && isOneHolder(held)) {
    found.push([topicOf(`slot${held['holding'] ?? ''}`, held['role'] ?? ''), held['value'] ?? '']);
  }
  return found;
}

type Groups = Readonly<Record<string, string | undefined>>;

function shapeOf(value: string): string {
  if (/\d/u.test(value)) return '#';
  return /^\p{Lu}/u.test(value) ? 'Name' : 'word';
}

function hasOneValue({ any, value = '' }: Groups): boolean {
  if (NO_NAME.test(value)) return false;
  return any !== undefined || (NAMED_OR_NUMBERED.test(value) && !NOUN.test(value));
}

function isOneHolder({ role = '', value = '', verb = '' }: Groups): boolean {
  if (verb === 'ist' && NOUN.test(value)) return false;
  return !SEVERAL.test(role) && !OF_PEOPLE.test(value);
}
