/**
 * Puts a text about the owner of a scope from the third person into the first, as the owner would
 * say it: `The user lives in Lyon and sold their car` as `I live in Lyon and sold my car`. Agents
 * write memories in the third person, or without a subject; the rules read the first person.
 */
import type { Language } from '../text/language.ts';
import { memoized } from '../text/memoized.ts';
import { oneOf, WORD_END, WORD_START } from '../text/pattern.ts';
import { capitalized } from '../text/words.ts';

/** Puts a text into the first person, given a pattern that finds the owner at its beginning. */
type Turn = (text: string, named: RegExp) => string;
const TURNS: Readonly<Record<Language, Turn>> = {
  en: inEnglish,
  de: inGerman,
  es: inSpanish,
  zh: inChinese,
};

/** What memories call the owner of a scope without a name. */
const USERS: Readonly<Record<Language, string>> = {
  en: '(?:the )?user',
  de: '(?:(?:der|die) )?(?:be)?nutzer(?:in)?',
  es: '(?:(?:el|la) )?usuari[oa]',
  zh: '该?用户(?!界面|名|体验|数|群|量|组|表|端|们)',
};

/** What agents write before a memory: `2026-03-09: Update: …`. */
const LEAD = new RegExp(
  String.raw`^(?:\[?\d{4}-\d\d-\d\d\]?\s?[:,–-]?\s+|${oneOf(`
    update, updated, correction, note, nachtrag, aktualisierung, korrektur, hinweis,
    actualización, corrección, nota, 更新, 更正, 备注
  `)}(?::\s|：)\s*)+`,
  'iu',
);

/** By language and names, one on each line: finds the owner at the beginning of a text. */
const namedBy = memoized(
  (key) => {
    const [language = 'en', ...names] = key.split('\n');
    const escaped = names.map((name) => name.replace(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`));
    const who = [USERS[language as Language], ...escaped].join('|');
    return new RegExp(`^(?:${who})${language === 'zh' ? '' : WORD_END}`, 'iu');
  },
  { entriesMax: 1_024, unitsMax: 1_024 },
);

/**
 * Returns a text in the first person; the same text if it is not about the owner.
 * @param names by which it may call the owner
 */
export function inFirstPersonOf(
  language: Language,
  text: string,
  names: readonly string[],
): string {
  const named = namedBy([language, ...names].join('\n'));
  const told = text.replace(LEAD, '');
  const said = TURNS[language](told, named);
  return said === told ? text : said;
}

/** Verbs that also show who is meant if a text leaves out the name: `Lives in Lyon`. */
const STATES_EN = 'live|work|prefer|like|love|hate|own|enjoy|dislike';
/** Others, some of which are nouns without a name: `Plays in the park are free.` */
const DOES_EN = 'drive|ride|use|play|rent|keep|take|run|drink|eat|smoke|speak|bank|coach|lead|need';
const BARE_EN = new RegExp(
  String.raw`^(?:(?:now |no longer )?(?:is|has|does|(?:${STATES_EN})s|` +
    String.raw`(?:${DOES_EN})s(?=\s(?:an?|the)\s))|(?:${STATES_EN}|move)d)(?=\s)`,
  'iu',
);
/** Verbs in the past or before another verb whose ending does not show it. */
const ENDS_OTHERWISE = oneOf(`
  was, did, had, can, could, will, would, must, might, may, should, became, began, bought, broke,
  brought, built, came, chose, cut, drank, drove, ate, fell, felt, flew, forgot, found, gave, got,
  grew, heard, held, hurt, kept, knew, learnt, led, left, lent, lost, made, met, paid, put, quit,
  ran, rode, said, saw, sent, slept, sold, spent, spoke, stood, swam, swore, taught, tore,
  thought, threw, told, took, went, woke, won, wore, wrote
`);
/** What a named person does, in small letters: `Ann recently left` is no `Ann Reed left`. */
const DOES_SO = new RegExp(
  String.raw`^,? ((?:(?:also|always|just|never|now|no longer|often|still|[a-z]+ly) )*)` +
    String.raw`((?:${ENDS_OTHERWISE}|is|has|does|[a-z]{2,}(?:ed|[^s]s))(?:n?['’]t)?)` +
    String.raw`(?=[ .,;:!?]|$)`,
  'u',
);
/** Verbs that share the subject of a clause before: `is allergic to nuts and lives in Lyon`. */
const JOINED_EN = new RegExp(
  String.raw`(?<=\s(?:and|but)\s(?:now\s)?)(?:${STATES_EN}|${DOES_EN})s\b`,
  'gu',
);
const OF_USER_EN = /(?<![\p{L}’'-])(?:the )?user['’]s(?=\s)/giu;
const USER_LATER_EN = /(?<=[\p{L},] )the user(?=[ .,;]|$)/gu;
/** Verbs whose first person does not just lose an `s`. */
const FIRST_EN: Readonly<Record<string, string>> = {
  is: 'am',
  has: 'have',
  does: 'do',
  was: 'was',
  "isn't": 'am not',
  "hasn't": "haven't",
  "doesn't": "don't",
};

function inEnglish(text: string, named: RegExp): string {
  const rest = text.replace(named, '');
  const isNamed = rest !== text;
  if (isNamed && /^['’]s\s/u.test(rest)) return othersInEnglish(`My${rest.slice(2)}`);
  const said = isNamed
    ? rest.replace(/^ and (\p{Lu}\p{L}+)(?= \p{Ll})/u, '$1 and I')
    : text.replace(BARE_EN, (verb) => ` ${verb.toLowerCase()}`);
  const begun = said
    .replace(DOES_SO, (_, how: string, verb: string) => `I ${how}${firstEnglish(verb)}`)
    .replace(/^I am\b/u, "I'm")
    .replace(/^I have(?= been\b)/u, "I've");
  if (begun === rest) return othersInEnglish(text);
  return othersInEnglish(begun)
    .replace(JOINED_EN, firstEnglish)
    .replace(/(?<!\p{L})(?:their|his|her)(?= \p{L})/gu, 'my');
}

function othersInEnglish(text: string): string {
  return text.replace(OF_USER_EN, 'my').replace(USER_LATER_EN, 'me');
}

function firstEnglish(verb: string): string {
  const known = FIRST_EN[verb.replace('’', "'")];
  if (known !== undefined) return known;
  return verb.replace(/ies$/u, 'y').replace(/(?<=ch|sh|ss|x|zz|go)es$|(?<!s)s$/u, '');
}

const VERBS_DE =
  'wohnt|lebt|arbeitet|mag|liebt|hasst|heißt|ist|hat|isst|trinkt|fährt|nutzt|benutzt|spielt|' +
  'raucht|besitzt|lernt|nimmt|bevorzugt|ernährt|verträgt|braucht|verwendet';
/** A verb with its ending; some have one form for `ich` and `er`. */
const VERB_DE =
  String.raw`(?!(?:mit|seit|statt|laut|samt|jetzt|nicht|oft|erst|selbst)\s)(?:\p{Ll}+te?|darf|` +
  'kann|will|muss|mag|weiß|soll|war|zog|ging|kam|fand|gab|verlor|verließ|wurde|bekam|nahm|begann)';
const DOES_DE = new RegExp(String.raw`^\s(${VERB_DE})(?!\p{L})`, 'u');
const INVERTED_DE = new RegExp(
  String.raw`(?<=^|\s)(${VERB_DE}) (?:der (?:Be)?[Nn]utzer|` +
    String.raw`die (?:Be)?[Nn]utzerin)(?!\p{L})`,
  'gu',
);
const OF_USER_DE = new RegExp(
  String.raw`${WORD_START}(der|die|das|den|dem|des)\s(\p{Lu}\p{L}+)\s` +
    String.raw`(?:des (?:be)?nutzers|der (?:be)?nutzerin)${WORD_END}`,
  'giu',
);
const JOINED_DE = new RegExp(String.raw`(?<=\s(?:und|aber)\s)(?:${VERBS_DE})(?!\p{L})`, 'gu');
const FIRST_DE: Readonly<Record<string, string>> = {
  fährt: 'fahre',
  gibt: 'gebe',
  hat: 'habe',
  hält: 'halte',
  isst: 'esse',
  ist: 'bin',
  liest: 'lese',
  läuft: 'laufe',
  nimmt: 'nehme',
  schläft: 'schlafe',
  spricht: 'spreche',
  trägt: 'trage',
  verträgt: 'vertrage',
};
const MY_DE: Readonly<Record<string, string>> = {
  der: 'mein',
  das: 'mein',
  die: 'meine',
  den: 'meinen',
  dem: 'meinem',
  des: 'meines',
};

function inGerman(text: string, named: RegExp): string {
  const owned = text.replace(OF_USER_DE, (_, article: string, thing: string) => {
    const my = MY_DE[article.toLowerCase()] ?? '';
    return `${/^\p{Lu}/u.test(article) ? capitalized(my) : my} ${thing}`;
  });
  const rest = owned.replace(named, '');
  const begun = rest
    .replace(DOES_DE, (_, verb: string) => `Ich ${firstGerman(verb)}`)
    .replace(INVERTED_DE, (_, verb: string) => `${firstGerman(verb)} ich`);
  return begun === rest ? owned : begun.replace(JOINED_DE, firstGerman);
}

function firstGerman(verb: string): string {
  return FIRST_DE[verb] ?? verb.replace(/(?<=[dt]e)t$/u, '').replace(/(?<!e)t$/u, 'e');
}

const FIRST_ES: Readonly<Record<string, string>> = {
  vive: 'vivo',
  trabaja: 'trabajo',
  es: 'soy',
  está: 'estoy',
  ha: 'he',
  va: 'voy',
  odia: 'odio',
  prefiere: 'prefiero',
  quiere: 'quiero',
  tiene: 'tengo',
  conduce: 'conduzco',
  usa: 'uso',
  fuma: 'fumo',
  estudia: 'estudio',
  toca: 'toco',
  juega: 'juego',
  toma: 'tomo',
  come: 'como',
  bebe: 'bebo',
  habla: 'hablo',
  lleva: 'llevo',
  necesita: 'necesito',
  paga: 'pago',
};
const VERBS_ES = Object.keys(FIRST_ES).join('|');
const HOW_ES = '((?:ya no |ya |ahora |no )?)';
const BARE_ES = new RegExp(String.raw`^${HOW_ES}(${VERBS_ES})(?=\s(?!que\s))`, 'iu');
const DOES_ES = new RegExp(String.raw`^\s${HOW_ES}((?:se )?)(${VERBS_ES})(?!\p{L})`, 'iu');
/** `dejó`, `vendió`, `cambió`: the regular past has one ending for each group of verbs. */
const DID_ES = new RegExp(
  String.raw`^\s${HOW_ES}((?:se )?)((?:camb|divorc|renunc|anunc|inic|estud|env)i|\p{L}{2,}?)` +
    String.raw`(i?ó)(?!\p{L})`,
  'iu',
);
const JOINED_ES = new RegExp(String.raw`(?<=\s(?:y|pero)\s)(?:${VERBS_ES})(?!\p{L})`, 'gu');
const OF_USER_ES = new RegExp(
  String.raw`${WORD_START}(?:el|la|(l[oa]s))\s(\p{Ll}+)\s(?:del usuario|de la usuaria)${WORD_END}`,
  'giu',
);
const TO_USER_ES = /(?<!\p{L})le (.*) (?:al usuario|a la usuaria)(?!\p{L})/iu;

function inSpanish(text: string, named: RegExp): string {
  const owned = text
    .replace(OF_USER_ES, (_, many: string | undefined, thing: string) => {
      return `${many === undefined ? 'mi' : 'mis'} ${thing}`;
    })
    .replace(TO_USER_ES, 'me $1');
  const rest = owned.replace(named, '');
  const present = (verb: string): string => FIRST_ES[verb.toLowerCase()] ?? verb;
  const me = (self: string): string => (self === '' ? '' : 'me ');
  const begun =
    rest === owned
      ? owned.replace(BARE_ES, (_, how: string, verb: string) => `${how}${present(verb)}`)
      : rest
          .replace(DOES_ES, (_, how: string, self: string, verb: string) => {
            return `${how}${me(self)}${present(verb)}`;
          })
          .replace(DID_ES, (_, how: string, self: string, stem: string, ending: string) => {
            return `Yo ${how}${me(self)}${stem}${ending === 'ó' ? 'é' : 'í'}`;
          });
  if (begun === rest) return owned === text ? text : capitalized(owned);
  return capitalized(begun).replace(JOINED_ES, present);
}

const DOES_ZH =
  /^(?=现?在?住|在|对|不?喜欢|是|叫|的|搬|从|开|养|用|有|骑|学|把|换|卖|买|停|戒|辞|离|不再|已)/u;
const USER_ZH = new RegExp(USERS.zh, 'gu');

function inChinese(text: string, named: RegExp): string {
  const rest = text.replace(named, '');
  const begun = rest !== text && DOES_ZH.test(rest) ? `我${rest}` : text;
  return begun.replaceAll(USER_ZH, '我');
}
