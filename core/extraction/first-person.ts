/**
 * Puts a text about the owner of a scope from the third person into the first, as the owner would
 * say it: `The user lives in Lyon and works at Bosch` as `I live in Lyon and work at Bosch`.
 */
import type { Language } from '../text/language.ts';
import { oneOf } from '../text/pattern.ts';
import { byWord } from '../text/word-lists.ts';
import { capitalized } from '../text/words.ts';

/** What memories call the owner of a scope without a name. */
const USERS: Readonly<Record<Language, string>> = {
  en: 'the user|user',
  de: 'der nutzer|die nutzerin|nutzer',
  es: 'el usuario|la usuaria',
  zh: '用户',
};

/** Verbs that also show who is meant if a text leaves out the name: `Lives in Lyon`. */
const STATES_EN = 'live|work|prefer|like|love|hate|own|enjoy|dislike';
/** Other verbs of people. */
const DOES_EN = 'drive|ride|use|play|rent|keep|take|run|drink|eat|smoke|speak|bank|coach|lead|need';
const VERBS_DE =
  'wohnt|lebt|arbeitet|mag|liebt|hasst|heißt|ist|hat|isst|trinkt|fährt|nutzt|benutzt|spielt|' +
  'raucht|besitzt|lernt|nimmt';
/** Verbs whose first person does not just end in `e` instead of `t` or `et`. */
const IRREGULAR_DE = byWord({
  fahre: 'fährt',
  bin: 'ist',
  habe: 'hat',
  esse: 'isst',
  nehme: 'nimmt',
});
const FIRST_ES = byWord({
  vivo: 'vive',
  trabajo: 'trabaja',
  soy: 'es',
  odio: 'odia',
  prefiero: 'prefiere',
  tengo: 'tiene',
  conduzco: 'conduce',
  uso: 'usa',
  fumo: 'fuma',
  estudio: 'estudia',
  toco: 'toca',
  juego: 'juega',
  tomo: 'toma',
  como: 'come',
  bebo: 'bebe',
});
const VERBS_ES = [...FIRST_ES.keys()].join('|');
const VERBS_ZH =
  '现?在?住|在|对|不?喜欢|是|叫|的|搬|从|开|养|用|有|骑|学|把|换|卖|买|停|戒|辞|离|不再|已';

/** Verbs that share the subject of a clause before: `is allergic to nuts and lives in Lyon`. */
const JOINED: Readonly<Record<Language, RegExp>> = {
  en: new RegExp(String.raw`(?<=\s(?:and|but)\s(?:now\s)?)(?:${STATES_EN})s\b`, 'gu'),
  de: new RegExp(String.raw`(?<=\s(?:und|aber)\s)(?:${VERBS_DE})(?!\p{L})`, 'gu'),
  es: new RegExp(String.raw`(?<=\s(?:y|pero)\s)(?:${VERBS_ES})(?!\p{L})`, 'gu'),
  // Chinese verbs have one form.
  zh: /(?!)/gu,
};
const FIRST_OF: Readonly<Record<Language, (verb: string) => string>> = {
  en: (verb) => verb.replace(/s$/u, ''),
  de: (verb) => IRREGULAR_DE.get(verb) ?? verb.replace(/e?t$/u, 'e'),
  es: (verb) => FIRST_ES.get(verb) ?? verb,
  zh: (verb) => verb,
};

/** By language: puts the beginning of a text into the first person, given a pattern of names. */
const BEGUN: Readonly<
  Record<Language, (text: string, who: string, names: readonly string[]) => string>
> = {
  en: begunInEnglish,
  de: (text, who) =>
    text.replace(
      new RegExp(String.raw`^${who}\s(${VERBS_DE})\b`, 'iu'),
      (_, verb: string) => `Ich ${FIRST_OF.de(verb.toLowerCase())}`,
    ),
  es: (text, who) =>
    text
      .replace(new RegExp(String.raw`^${who}\s(${VERBS_ES})(?!\p{L})`, 'iu'), (_, verb: string) =>
        capitalized(FIRST_OF.es(verb.toLowerCase())),
      )
      .replace(
        // `Ann dejó`, `Ann vendió`: the regular past has one ending for each group of verbs.
        new RegExp(String.raw`^${who}\s(ya no |ya )?(\p{L}{2,}?)(i?ó)(?!\p{L})`, 'iu'),
        (_, how: string | undefined, stem: string, ending: string) =>
          `Yo ${how ?? ''}${stem}${ending === 'ó' ? 'é' : 'í'}`,
      ),
  zh: (text, who) => text.replace(new RegExp(`^${who}(?=${VERBS_ZH})`, 'iu'), '我'),
};

function begunInEnglish(text: string, who: string, names: readonly string[]): string {
  const own = new RegExp(String.raw`^${who}['’]s\s`, 'iu');
  if (own.test(text)) return text.replace(own, 'My ');
  // Without a name, a verb is clear only before an article: `Plays in the park are free.`
  const does = new RegExp(
    String.raw`^(?:${who}\s(${DOES_EN})s\b|(${DOES_EN})s(?=\s(?:an?|the)\s))`,
    'iu',
  );
  if (does.test(text)) {
    return text.replace(
      does,
      (_, named: string, bare: string) => `I ${(named ?? bare).toLowerCase()}`,
    );
  }
  const about = new RegExp(
    String.raw`^(?:${who}[,:]?\s)?` +
      String.raw`(?=(?:now |no longer |does |is |has |(?:${STATES_EN}|move)[sd]\b))`,
    'iu',
  );
  const said = saidByNamed(text, names);
  if (said !== text || !about.test(text)) return said;
  return text
    .replace(about, 'I ')
    .replace(/^I is\b/u, "I'm")
    .replace(/^I has\b/u, 'I have')
    .replace(/^I does\b/u, 'I do')
    .replace(new RegExp(String.raw`^I ((?:now |no longer )?)(${STATES_EN})s\b`, 'u'), 'I $1$2');
}

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
  String.raw`^ ((?:(?:also|always|just|never|now|no longer|often|still|[a-z]+ly) )*)` +
    String.raw`((?:${ENDS_OTHERWISE}|is|has|does|[a-z]{2,}(?:ed|[^s]s))(?:n?['’]t)?)` +
    String.raw`(?=[ .,;:!?]|$)`,
  'u',
);
/** Verbs whose first person does not just lose an `s`. */
const IRREGULAR_EN = byWord({
  am: 'is',
  have: 'has',
  do: 'does',
  was: 'was',
  'am not': "isn't",
  "haven't": "hasn't",
  "don't": "doesn't",
});

/** Puts a sentence that begins with a name into the first person, in any tense. */
function saidByNamed(text: string, names: readonly string[]): string {
  const lower = text.toLowerCase();
  const name = names.find((each) => lower.startsWith(`${each.toLowerCase()} `));
  if (name === undefined) return text;
  const rest = text.slice(name.length);
  const said = rest
    .replace(/^ and (\p{Lu}\p{L}+)(?= \p{Ll})/u, '$1 and I')
    .replace(DOES_SO, (_, how: string, verb: string) => `I ${how}${firstPersonOf(verb)}`)
    .replace(/^I am\b/u, "I'm");
  return said === rest ? text : said;
}

function firstPersonOf(verb: string): string {
  const known = IRREGULAR_EN.get(verb.replace('’', "'"));
  if (known !== undefined) return known;
  return verb.replace(/ies$/u, 'y').replace(/(?<=ch|sh|ss|x|zz|go)es$|(?<!s)s$/u, '');
}

/**
 * Returns a text in the first person; the same text if it is not about the owner.
 * @param names by which it may call the owner
 */
export function inFirstPersonOf(
  language: Language,
  text: string,
  names: readonly string[],
): string {
  const escaped = names.map((name) => name.replace(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`));
  const who = `(?:${[USERS[language], ...escaped].join('|')})`;
  const begun = BEGUN[language](text, who, names);
  return begun === text ? text : begun.replace(JOINED[language], FIRST_OF[language]);
}
