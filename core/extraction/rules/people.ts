/**
 * Rules of extraction for people and what lasts of them: how they are related to the speaker, where
 * they live, what they do; and for the languages and skills of the speaker. "Tom is my brother",
 * "My sister Ana lives in Porto", "Hablo portugués", "我会弹钢琴".
 */
import { oneOf } from '../../text/pattern.ts';
import { namesOf, type Rule, type RulesByLanguage, type RuleMakers, ruleMakers } from '../rule.ts';
import { capital, PETS as PETS_DE, SERVING as SERVING_DE } from './de-nouns.ts';
import { JOBS as JOBS_EN, PETS as PETS_EN, SERVING as SERVING_EN } from './en-nouns.ts';
import { PETS as PETS_ES, SERVING as SERVING_ES } from './es-nouns.ts';
import { JOBS as JOBS_ES } from './es.ts';
import { JOBS as JOBS_ZH, SERVING as SERVING_ZH } from './zh.ts';

/** Of whom the speaker has one at a time. */
const ONE_EN = `(?:${namesOf(SERVING_EN)}|${oneOf(`
  wife, husband, girlfriend, boyfriend, fiancée?, mother, mum, mom, father, dad
`)})`;
const SEVERAL_EN = oneOf(`
  (?:half-|step)?(?:sister|brother|daughter|son), (?:mother|father|sister|brother)-in-law,
  step(?:mother|father|mum|mom|dad), niece, nephew, cousin, aunt, uncle, grandmother, grandfather,
  grandma, grandpa, gran, grandson, granddaughter, godmother, godfather, godson, goddaughter,
  colleague, coworker, co-worker, flatmate, roommate, housemate, neighbou?r, assistant, mentor,
  coach, tutor, co-founder, business partner
`);
const ONE_DE = `(?:${namesOf(capital(SERVING_DE))}|${oneOf(`
  Frau, Mann, Ehefrau, Ehemann, Verlobte[r]?, Mutter, Mama, Vater, Papa
`)})`;
const SEVERAL_DE = oneOf(`
  (?:Stief|Halb|Zwillings)?(?:schwester|bruder|tochter|sohn), Schwester, Bruder, Tochter, Sohn,
  Schwieger(?:mutter|vater|sohn|tochter), Schwägerin, Schwager, Nichte, Neffe, Cousine?, Tante,
  Onkel, Oma, Opa, Großmutter, Großvater, Enkel(?:in)?, Patentante, Patenonkel,
  Kolleg(?:e|in), Mitbewohner(?:in)?, Nachbar(?:in)?, Assistent(?:in)?, Trainer(?:in)?
`);
const ONE_ES = `(?:${namesOf(SERVING_ES)}|${oneOf(`
  mujer, marido, espos[oa], novi[oa], prometid[oa], madre, mamá, padre, papá
`)})`;
const SEVERAL_ES = oneOf(`
  herman[oa], hij[oa], hermanastr[oa], suegr[oa], cuñad[oa], yerno, nuera, sobrin[oa], prim[oa],
  tí[oa], abuel[oa], niet[oa], madrina, padrino, ahijad[oa], colega,
  compañer[oa](?: de (?:piso|trabajo|clase))?, vecin[oa], entrenador[a]?
`);
const ONE_ZH = `${namesOf(SERVING_ZH)}|妈妈|爸爸|母亲|父亲|老公|丈夫|老婆|妻子|女朋友|男朋友`;
const SEVERAL_ZH =
  '女儿|儿子|姐姐|妹妹|哥哥|弟弟|表[姐妹哥弟]|堂[姐妹哥弟]|奶奶|爷爷|外婆|外公|岳母|岳父|婆婆|公公|' +
  '阿姨|舅舅|叔叔|姑姑|侄子|侄女|外甥|孙子|孙女|闺蜜|同事|室友|邻居|同学';

/** Words before `is my brother` that name nobody; friends are left out: `Coffee is my friend`. */
const NO_PERSON = oneOf(String.raw`
  S?he, This, That, It, Who, Here, There, What, Which, One, They, Coffee, Tea, Wine, Beer, Music,
  Money, Food, Chocolate, Pizza, Sleep, Silence, Time, Google, Siri, Alexa, ChatGPT, Claude,
  Er, Sie, Das, Dies\p{Ll}*, Wer, Hier, Kaffee, Tee, Wein, Bier, Musik, Geld, Schokolade, Zeit,
  Él, Ella, Est[ea], Es[ea], Quién, Aquí, El, La, The, Der, Die, An?, My, Mi, Mein\p{Ll}*,
  Café, Vino, Música, Dinero
`);
const PERSON = String.raw`(?!${NO_PERSON}\s)\p{Lu}[\p{L}'’-]+(?:\s\p{Lu}[\p{L}'’-]+)?`;
const NAME = String.raw`\p{Lu}[\p{L}'’-]+(?:\s(?:de |del |la |of |am )?\p{Lu}[\p{L}'’-]+)*`;
/** Where the words about a person end. */
const END = String.raw`(?=\s*(?:[.,;:!?()…–—\n]|$)|\s(?:and|but|who|with|now|und|aber|y|pero)\s)`;
const V = String.raw`(?<value>[^.,;:!?()…–—\n"“”„«»]{2,60}?)${END}`;

const rule = ruleMakers({
  PERSON: `(?<value>(?:Dr\\.? )?${PERSON})`,
  NAME: `(?<value>${NAME})`,
  KIND: '(?:older |younger |elder |little |big |twin |new |best |old |good |only )*',
  KINDDE: '(?:große[r]? |kleine[r]? |ältere[r]? |jüngere[r]? |neue[r]? |beste[r]? |gute[r]? )*',
  KINDES: '(?:nuev[oa] |mejor )?',
  REL: `(?:${ONE_EN}|${SEVERAL_EN}|friend)`,
  RELDE: `(?:${ONE_DE}|${SEVERAL_DE}|Freund(?:in)?)`,
  RELES: `(?:${ONE_ES}|${SEVERAL_ES}|amig[oa])`,
  RELZH: `(?:${ONE_ZH}|${SEVERAL_ZH}|朋友)`,
  V,
  END,
  JOB: String.raw`an? (?<value>(?:[a-z-]+ ){0,2}${oneOf(JOBS_EN)})(?!\p{L})`,
  JOBES: JOBS_ES,
  JOBZH: JOBS_ZH,
  VZH: String.raw`(?<value>[^，,。；;！!？?、…（）()\s的]{2,16}?)(?=了?(?:[，,。；;！!？?、…（）()\s]|$))`,
  STILL: '(?: now| still| currently)?',
});

/** What is said of a person, whether by name, by relation or by both. */
function aboutPerson(
  owner: string,
  relation: string,
  facts: readonly (readonly [keyof RuleMakers, said: string])[],
): readonly Rule[] {
  const whos = [
    String.raw`${relation} (?<thing>\p{Lu}\p{Ll}[\p{L}'’-]*),?`,
    `(?<thing>${relation})`,
  ];
  return facts.flatMap(([meaning, said]) =>
    whos.map((who) => rule[meaning](`${owner}${who} ${said}`)),
  );
}

const EN: readonly Rule[] = [
  rule.theOne(`^{PERSON}(?: is|['’]s) (?:now )?(?:my|our) {KIND}(?<thing>${ONE_EN})(?: now)?{END}`),
  rule.oneOfSeveral(`^{PERSON}(?: is|['’]s) (?:my|our) {KIND}(?<thing>${SEVERAL_EN}){END}`),
  rule.oneOfSeveral(
    `(?<!\\p{L})(?:[Mm]y|[Oo]ur) {KIND}(?<thing>${SEVERAL_EN}|friend|${namesOf(PETS_EN)})` +
      "(?:['’]s name is| is (?:called|named)) {NAME}",
  ),
  ...aboutPerson('(?:^|[,;] |\\sand )(?:[Mm]y|[Oo]ur) {KIND}', '{REL}', [
    [
      'residenceOf',
      '(?:lives|is based|is living|(?:just |has )?(?:moved|relocated)){STILL} (?:in|to) {NAME}',
    ],
    ['employerOf', 'works{STILL} (?:at|for) (?!an? living|the best)(?=an? |the |\\p{Lu}){V}'],
    ['jobOf', '(?:is{STILL}|works{STILL} as) {JOB}'],
  ]),
];

const DE: readonly Rule[] = [
  rule.theOne(
    `^(?:Jetzt ist )?{PERSON}(?: ist)?(?: jetzt| nun)? (?:meine?|unsere?) {KINDDE}` +
      `(?<thing>${ONE_DE}){END}`,
  ),
  rule.oneOfSeveral(`^{PERSON} ist (?:meine?|unsere?) {KINDDE}(?<thing>${SEVERAL_DE}){END}`),
  rule.oneOfSeveral(
    `(?<!\\p{L})(?:[Mm]eine?|[Uu]nsere?) {KINDDE}` +
      `(?<thing>${SEVERAL_DE}|Freund(?:in)?|${namesOf(capital(PETS_DE))}) heißt {NAME}`,
  ),
  ...aboutPerson('(?:^|[,;] |\\sund )(?:[Mm]eine?|[Uu]nsere?) {KINDDE}', '{RELDE}', [
    ['residenceOf', '(?:wohnt|lebt)(?: jetzt| seit [^.,;]{3,20}?)? in {NAME}'],
    ['employerOf', 'arbeitet(?: jetzt)? (?:bei|für) (?:der |dem )?(?!mich){V}'],
    ['jobOf', 'arbeitet(?: jetzt)? als {V}'],
  ]),
];

const ES: readonly Rule[] = [
  rule.theOne(
    `^{PERSON} (?:ahora )?es (?:ahora )?(?:mi|nuestr[oa]) {KINDES}(?<thing>${ONE_ES}){END}`,
  ),
  rule.oneOfSeveral(`^{PERSON} es (?:mi|nuestr[oa]) {KINDES}(?<thing>${SEVERAL_ES}){END}`),
  rule.oneOfSeveral(
    `(?<!\\p{L})(?:[Mm]i|[Nn]uestr[oa]) {KINDES}` +
      `(?<thing>${SEVERAL_ES}|amig[oa]|${namesOf(PETS_ES)}) se llama {NAME}`,
  ),
  ...aboutPerson('(?:^|[,;] |\\sy )(?:[Mm]i|[Nn]uestr[oa]) {KINDES}', '{RELES}', [
    ['residenceOf', '(?:ahora )?vive(?: ahora)? en {NAME}'],
    ['employerOf', '(?:ahora )?trabaja (?:para|en) (?!casa){V}'],
    ['jobOf', '(?:es|trabaja (?:como|de)) (?:un[ao]? )?(?<value>{JOBES})(?!\\p{L})'],
  ]),
];

const HAN_PERSON = '(?![我你您他她它这那谁])[\\p{Script=Han}A-Za-z·]{2,8}?';

const ZH: readonly Rule[] = [
  rule.theOne(
    `^(?<value>${HAN_PERSON})(?:现在)?是我们?的?新?(?<thing>${ONE_ZH})(?=[，,。；;！!]|$)`,
  ),
  rule.oneOfSeveral(
    `^(?<value>${HAN_PERSON})是我们?的?(?:大|小|亲|最好的|好)?(?<thing>${SEVERAL_ZH})(?=[，,。；;！!]|$)`,
  ),
  rule.oneOfSeveral(`(?<!\\p{Script=Han})我的?(?<thing>${SEVERAL_ZH}|朋友)叫{VZH}`),
  ...(
    [
      ['residenceOf', '(?:现在|目前|一直)?住在{VZH}'],
      [
        'employerOf',
        '(?:现在|目前|一直)?在(?!家)(?<value>[^，,。；;！!？?、\\s]{2,16}?)(?:工作|上班)(?=[，,。；;！!]|$)',
      ],
      [
        'jobOf',
        '(?:现在)?是(?:一?[名个位])?(?<value>\\p{Script=Han}{0,4}?{JOBZH})(?=[，,。；;！!]|$)',
      ],
    ] as const
  ).map(([meaning, said]) => rule[meaning](`(?<!\\p{Script=Han})我的?(?<thing>{RELZH})${said}`)),
];

export const PEOPLE: RulesByLanguage = { en: EN, de: DE, es: ES, zh: ZH };
