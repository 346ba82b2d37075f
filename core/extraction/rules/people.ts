/**
 * Rules of extraction for people and what lasts of them: how they are related to the speaker, where
 * they live, what they do; and for the languages and skills of the speaker. "Tom is my brother",
 * "My sister Ana lives in Porto", "Hablo portugués", "我会弹钢琴".
 */
import { oneOf } from '../../text/pattern.ts';
import { type Rule, type RulesByLanguage, type RuleMakers, ruleMakers } from '../rule.ts';
import { JOBS as JOBS_EN } from './en-nouns.ts';
import { JOBS as JOBS_ES } from './es.ts';
import { JOBS as JOBS_ZH } from './zh.ts';

/** Of whom the speaker has one at a time. */
const ONE_EN = oneOf(
  'wife, husband, girlfriend, boyfriend, fiancée?, mother, mum, mom, father, dad, boss, manager',
);
const SEVERAL_EN = oneOf(`
  (?:half-|step)?(?:sister|brother|daughter|son), (?:mother|father|sister|brother)-in-law,
  step(?:mother|father|mum|mom|dad), niece, nephew, cousin, aunt, uncle, grandmother, grandfather,
  grandma, grandpa, gran, grandson, granddaughter, godmother, godfather, godson, goddaughter,
  colleague, coworker, co-worker, flatmate, roommate, housemate, neighbou?r, assistant, mentor,
  coach, tutor, co-founder, business partner
`);
const ONE_DE = oneOf(`
  Frau, Mann, Ehefrau, Ehemann, Verlobte[r]?, Mutter, Mama, Vater, Papa, Chef(?:in)?
`);
const SEVERAL_DE = oneOf(`
  (?:Stief|Halb|Zwillings)?(?:schwester|bruder|tochter|sohn), Schwester, Bruder, Tochter, Sohn,
  Schwieger(?:mutter|vater|sohn|tochter), Schwägerin, Schwager, Nichte, Neffe, Cousine?, Tante,
  Onkel, Oma, Opa, Großmutter, Großvater, Enkel(?:in)?, Patentante, Patenonkel,
  Kolleg(?:e|in), Mitbewohner(?:in)?, Nachbar(?:in)?, Assistent(?:in)?, Trainer(?:in)?
`);
const ONE_ES = oneOf(`
  mujer, marido, espos[oa], novi[oa], prometid[oa], madre, mamá, padre, papá, jef[ea]
`);
const SEVERAL_ES = oneOf(`
  herman[oa], hij[oa], hermanastr[oa], suegr[oa], cuñad[oa], yerno, nuera, sobrin[oa], prim[oa],
  tí[oa], abuel[oa], niet[oa], madrina, padrino, ahijad[oa], colega,
  compañer[oa](?: de (?:piso|trabajo|clase))?, vecin[oa], entrenador[a]?
`);
const ONE_ZH = '妈妈|爸爸|母亲|父亲|老公|丈夫|老婆|妻子|女朋友|男朋友|老板';
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
const INSTRUMENTS_EN = oneOf(`
  piano, guitar, violin, viola, cello, flute, clarinet, saxophone, trumpet, trombone, drums, harp,
  bass, ukulele, organ, accordion, oboe, recorder, banjo
`);
const INSTRUMENTS_DE = oneOf(`
  Klavier, Gitarre, Geige, Bratsche, Cello, Flöte, Querflöte, Klarinette, Saxofon, Saxophon,
  Trompete, Posaune, Schlagzeug, Harfe, Bass, Ukulele, Orgel, Akkordeon
`);
const INSTRUMENTS_ES = oneOf(`
  piano, guitarra, violín, viola, violonchelo, chelo, flauta, clarinete, saxofón, trompeta,
  trombón, batería, arpa, bajo, ukelele, órgano, acordeón
`);
const LANGUAGE_EN = String.raw`(?:\p{Lu}\p{Ll}*(?:ish|ese|[ai]an|ic)|${oneOf(`
  French, Dutch, Czech, Greek, Hindi, Urdu, Swahili, Farsi, Hebrew, Thai, Tamil, Mandarin, Welsh,
  Cantonese, Tagalog, Bengali, Punjabi, Basque, Esperanto
`)})(?!\p{L})`;
const LANGUAGE_DE = String.raw`(?:\p{Lu}\p{Ll}*isch|Deutsch|Hindi|Urdu|Suaheli|Farsi)(?!\p{L})`;
const LANGUAGE_ES = oneOf(`
  español, castellano, inglés, francés, alemán, portugués, italiano, catalán, gallego, euskera,
  neerlandés, holandés, polaco, ruso, ucraniano, rumano, griego, turco, árabe, hebreo, hindi, chino,
  mandarín, cantonés, japonés, coreano, vietnamita, tailandés, sueco, danés, noruego, finés,
  finlandés, checo, húngaro, persa, quechua, guaraní
`);

/** Where the words about a person end. */
const END = String.raw`(?=\s*(?:[.,;:!?()…–—\n]|$)|\s(?:and|but|who|with|now|und|aber|y|pero)\s)`;
const V = String.raw`(?<value>[^.,;:!?()…–—\n"“”„«»]{2,60}?)${END}`;

const rule = ruleMakers({
  PERSON: `(?<value>${PERSON})`,
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
  rule.theOne(`^{PERSON}(?: is|['’]s) (?:my|our) {KIND}(?<thing>${ONE_EN}){END}`),
  rule.oneOfSeveral(`^{PERSON}(?: is|['’]s) (?:my|our) {KIND}(?<thing>${SEVERAL_EN}){END}`),
  rule.oneOfSeveral(
    `(?<!\\p{L})(?:[Mm]y|[Oo]ur) {KIND}(?<thing>${SEVERAL_EN}|friend)` +
      "(?:['’]s name is| is (?:called|named)) {NAME}",
  ),
  ...aboutPerson('(?:^|[,;] |\\sand )(?:[Mm]y|[Oo]ur) {KIND}', '{REL}', [
    [
      'residenceOf',
      '(?:lives|is based|is living|(?:just |has )?(?:moved|relocated)){STILL} (?:in|to) {NAME}',
    ],
    ['employerOf', 'works{STILL} (?:at|for) (?!an? living|the best)(?=an? |the |\\p{Lu}){V}'],
    ['workplaceOf', 'works{STILL} in {V}'],
    ['jobOf', '(?:is{STILL}|works{STILL} as) {JOB}'],
    ['studiesOf', '(?:studies|is studying) (?!hard|for|every|at (?:home|night)){V}'],
    ['languageOf', `speaks (?:only |fluent |some )?(?<value>${LANGUAGE_EN})`],
  ]),
  rule.speaks(
    '(?<!\\p{L})I(?: also| can| can also)? speak (?:(?:fluent|native|good|decent|basic|some|both|' +
      `a (?:little|bit of)) )*(?<value>${LANGUAGE_EN})`,
  ),
  rule.speaks(
    `(?<!\\p{L})I(?:['’]m| am)(?: also)? (?:fluent|bilingual|a native speaker)(?: in| of) ` +
      `(?<value>${LANGUAGE_EN})`,
  ),
  rule.speaksNot(
    "(?<!\\p{L})I (?:don['’]t|do not|can['’]t|cannot) speak (?:any |much |a word of )?" +
      `(?<value>${LANGUAGE_EN})`,
  ),
  rule.plays(`(?<!\\p{L})I(?: can| also)* play (?:the )?(?<value>${INSTRUMENTS_EN})(?!\\p{L})`),
  rule.programs(
    '(?<!\\p{L})I(?: can| mostly| mainly| usually)* (?:code|program) in ' +
      '(?<value>\\p{Lu}[\\p{L}+#]*)',
  ),
];

const DE: readonly Rule[] = [
  rule.theOne(`^{PERSON} ist (?:meine?|unsere?) {KINDDE}(?<thing>${ONE_DE}){END}`),
  rule.oneOfSeveral(`^{PERSON} ist (?:meine?|unsere?) {KINDDE}(?<thing>${SEVERAL_DE}){END}`),
  rule.oneOfSeveral(
    `(?<!\\p{L})(?:[Mm]eine?|[Uu]nsere?) {KINDDE}(?<thing>${SEVERAL_DE}|Freund(?:in)?) ` +
      'heißt {NAME}',
  ),
  ...aboutPerson('(?:^|[,;] |\\sund )(?:[Mm]eine?|[Uu]nsere?) {KINDDE}', '{RELDE}', [
    ['residenceOf', '(?:wohnt|lebt)(?: jetzt| seit [^.,;]{3,20}?)? in {NAME}'],
    ['employerOf', 'arbeitet(?: jetzt)? (?:bei|für) (?:der |dem )?(?!mich){V}'],
    ['workplaceOf', 'arbeitet(?: jetzt)? in {V}'],
    ['jobOf', 'arbeitet(?: jetzt)? als {V}'],
    [
      'professionOf',
      'ist(?: jetzt)? (?!Schuld|Klasse|Spitze)(?<value>\\p{Lu}\\p{Ll}{4,})' +
        '(?: von Beruf)?(?=[.,;!]|$)',
    ],
    ['studiesOf', 'studiert(?: jetzt)? (?!noch){V}'],
    ['languageOf', `spricht (?:nur |fließend )?(?<value>${LANGUAGE_DE})`],
  ]),
  rule.speaks(
    '(?<!\\p{L})(?:[Ii]ch spreche|spreche ich)' +
      `(?: auch| gut| etwas| fließend| ein (?:bisschen|wenig)| sehr gut)* (?<value>${LANGUAGE_DE})`,
  ),
  rule.speaksNot(`(?<!\\p{L})[Ii]ch (?:spreche|kann) kein (?<value>${LANGUAGE_DE})`),
  rule.plays(
    `(?<!\\p{L})(?:[Ii]ch spiele|spiele ich)(?: auch| gern)* (?<value>${INSTRUMENTS_DE})(?!\\p{L})`,
  ),
  rule.programs(
    '(?<!\\p{L})[Ii]ch programmiere(?: meist| hauptsächlich)? in (?<value>\\p{Lu}[\\p{L}+#]*)',
  ),
];

const ES: readonly Rule[] = [
  rule.theOne(`^{PERSON} es (?:mi|nuestr[oa]) {KINDES}(?<thing>${ONE_ES}){END}`),
  rule.oneOfSeveral(`^{PERSON} es (?:mi|nuestr[oa]) {KINDES}(?<thing>${SEVERAL_ES}){END}`),
  rule.oneOfSeveral(
    `(?<!\\p{L})(?:[Mm]i|[Nn]uestr[oa]) {KINDES}(?<thing>${SEVERAL_ES}|amig[oa]) se llama {NAME}`,
  ),
  ...aboutPerson('(?:^|[,;] |\\sy )(?:[Mm]i|[Nn]uestr[oa]) {KINDES}', '{RELES}', [
    ['residenceOf', '(?:ahora )?vive(?: ahora)? en {NAME}'],
    ['employerOf', '(?:ahora )?trabaja (?:para|en) (?!casa){V}'],
    ['jobOf', '(?:es|trabaja (?:como|de)) (?:un[ao]? )?(?<value>{JOBES})(?!\\p{L})'],
    ['studiesOf', 'estudia (?!mucho|para|en casa){V}'],
    ['languageOf', `habla (?<value>${LANGUAGE_ES})(?!\\p{L})`],
  ]),
  rule.speaks(
    '(?:^|[,;] |\\s[ye] )(?:[Yy]o )?(?:[Tt]ambién )?[Hh]ablo ' +
      `(?:bien |un poco de |algo de |bastante )?(?<value>${LANGUAGE_ES})(?!\\p{L})`,
  ),
  rule.speaksNot(
    `(?:^|[,;] |\\sy )(?:[Yy]o )?[Nn]o hablo (?:nada de )?(?<value>${LANGUAGE_ES})(?!\\p{L})`,
  ),
  rule.plays(
    `(?:^|[,;] |\\sy )(?:[Yy]o )?(?:[Ss]é tocar|[Tt]oco) (?:el |la )?(?<value>${INSTRUMENTS_ES})` +
      '(?!\\p{L})',
  ),
  rule.programs('(?:^|[,;] )[Pp]rogramo en (?<value>\\p{Lu}[\\p{L}+#]*)'),
];

const HAN_PERSON = '(?![我你您他她它这那谁])[\\p{Script=Han}A-Za-z·]{2,8}?';

const ZH: readonly Rule[] = [
  rule.theOne(`^(?<value>${HAN_PERSON})是我们?的?(?<thing>${ONE_ZH})(?=[，,。；;！!]|$)`),
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
  rule.speaks(
    '(?<!\\p{Script=Han})我(?:也)?(?:会说|会讲|能说|能讲)(?:一点儿?|流利的|一些)?' +
      '(?<value>\\p{Script=Han}{1,6}?[语话文])',
  ),
  rule.speaksNot('(?<!\\p{Script=Han})我不会[说讲](?<value>\\p{Script=Han}{1,6}?[语话文])'),
  rule.plays(
    '(?<!\\p{Script=Han})我(?:也)?会(?<value>(?:弹|拉|吹|打)(?:\\p{Script=Han}{0,2}琴|吉他|笛子|长笛|' +
      '小号|古筝|琵琶|二胡|鼓|架子鼓))',
  ),
];

export const PEOPLE: RulesByLanguage = { en: EN, de: DE, es: ES, zh: ZH };
