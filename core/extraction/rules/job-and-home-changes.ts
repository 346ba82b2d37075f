/**
 * Rules of extraction for a new employer or home, told beside something else: "I switched to Bosch
 * last month and moved to Ulm", "bin zu Bosch gewechselt", "entré a trabajar en Bosch", "跳槽去了博世".
 * They end a known employer or home, and become memories only if they end one.
 */
import { MONTHS } from '../../text/calendar-words.ts';
import { oneOf } from '../../text/pattern.ts';
import type { Language } from '../../text/language.ts';
import { anyCase, type Rule, type RulesByLanguage, ruleMakers } from '../rule.ts';
import { AND_MORE, BY_NOW, EMPLOYER, NAME, NOT_OF_WORK, PLACE, TOWN } from './en-names.ts';

/** Other companies that people switch to as customers, in all languages. */
const SUPPLIERS = oneOf(`
  Telekom, Congstar, Aldi Talk, Winsim, Freenet, Klarmobil, Check24, Vattenfall, Yello, Lichtblick,
  Movistar, Orange, Claro, Tigo, Entel, Yoigo, Jazztel, Endesa, Iberdrola, Naturgy, Octopus, Verti,
  iPhone, Samsung, Pixel, Huawei, Mac, MacBook, WhatsApp, Signal, Telegram, Strava, Garmin,
  Duolingo, HBO, Kindle, Uber, Bolt, Cabify, DKB, Comdirect, Allianz, AOK, Barmer, Techniker,
  TK, Mint
`);
/** A company that somebody works for: no tool, supplier, day or school year. */
const COMPANY = `${PLACE}(?!${SUPPLIERS}(?!\\p{L}))(?<value>${NAME})`;

/** Words about work, which make any name an employer. */
const WORK = {
  en: anyCase(`
    jobs?, commut\\w+, salary, boss, bosses, manager, colleagues?, coworkers?, co-workers?, office,
    desk, role, position, career, pay, paycheck, onboarding, probation, shifts?, employers?
  `),
  de: anyCase(`
    Job, Stelle, Arbeit, Gehalt, Chef, Chefin, Kolleg\\p{L}+, Büro, Arbeitsweg, Schicht\\p{L}*,
    Probezeit, Team, Einarbeitung, Arbeitgeber
  `),
  es: anyCase(`
    trabajo, empleo, puesto, sueldo, salario, jef[ae], compañer[oa]s, oficina, horario, turno,
    equipo
  `),
} as const;

/** Words of customers, for whom a name after `switched to` is mostly no employer. */
const CUSTOMER = String.raw`(?!.*(?<!\p{L})${anyCase(`
  expensive, cheaper, prices?, skin, tast\\w+, dose, mg, doctor, tablets?, pills?, battery, phones?,
  coverage, reception, delivery, shopping, groceries, brands?, diet, flights?, points, miles,
  coffee, fees?, rates?, internet, mobile, contract, series, shampoo, teuer, billiger, günstiger,
  Preise?, Äpfel, Einkauf\\p{L}*, Handy, Empfang, Netz, Tarif, Vertrag, Konto, Gebühren, Arzt,
  Tabletten, Strom, Haut, Geschmack, Marke, Abo, car[oa], barat[oa], precios?, cobertura, señal,
  tarifa, comisiones, cuenta, médic[oa], pastillas, piel, sabor, marca, internet, compra
`)}(?!\p{L}))`;

const LATELY =
  '(?:最近|刚刚?|前(?:天|几天|阵子|段时间)|[今昨]天|上个?(?:月|周末?|星期|礼拜)|今年|去年|[年月][初底]|' +
  '[一二三四五六七八九十\\d]+月份?|已经|终于|现在|如今|目前|又|就|也|从.{2,8}?)*';

/** What shows that a German sentence tells no change that is done and lasts. */
const NOT_YET_DE = `
  werde, wird, werden, will, wollen, möchte\\p{L}*, würde\\p{L}*, sobald, bevor, wenn, vielleicht,
  nächste\\p{L}*, damals, früher (?:mal|einmal|war|in|bei), als Kind, als ich, beworben, fast,
  beinahe, nie, nicht, um die Häuser, um die Ecken, Urlaub, Ferien, Praktikum, vor \\p{L}+ Jahren
`;

const rule = ruleMakers({
  NOCUSTOMER: CUSTOMER,
  TOWN,
  AND: AND_MORE,
  COMPANY,
  // Also what is elsewhere a tool or a supplier: `I switched to Google, my new boss is nice`.
  EMPLOYER,
  WORK: String.raw`(?=.*(?<!\p{L})${WORK.en}(?!\p{L}))`,
  WORKDE: String.raw`(?=.*(?<!\p{L})${WORK.de}(?!\p{L}))`,
  WORKES: String.raw`(?=.*(?<!\p{L})${WORK.es}(?!\p{L}))`,
  /** Excludes what is still to come, long over, or only for some time. */
  NOW: `${BY_NOW}(?!.*\\b(?:almost|nearly|never)\\b)`,
  HOME: NOT_OF_WORK,
  /** The speaker, or a verb at the beginning that leaves the speaker out. */
  I:
    String.raw`(?:(?<![\p{L}'’])I(?:['’]ve|['’]m| have| am| was| got)? |^(?:[Hh]ave |[Ww]as )?|` +
    String.raw`(?<=(?<![\p{L}'’])I [^.;!?]{2,60}?(?: and|,) )(?:have )?)` +
    '(?:(?:[Jj]ust|[Rr]ecently|[Ff]inally|now|then|also|since|got|[Gg]ot) )*',
  WE:
    String.raw`(?:(?<![\p{L}'’])(?:I|[Ww]e)(?:['’]ve| have)?)(?: (?:just|recently|finally|` +
    String.raw`now))* `,
  RECENT: String.raw`(?:^(?:[Jj]ust |[Rr]ecently |[Ff]inally |[Hh]ave )?)`,
  /** The end of the clause, or a word of time. */
  SOME: String.raw`(?=[.,;!]|$| (?:and|so|last|this|in|on|recently|a|two|three|now)\b)`,
  SINCE:
    String.raw`(?:since (?:last |early |late |the )?(?:${MONTHS.en}|spring|summer|autumn|fall|` +
    String.raw`winter|` +
    String.raw`month|week|year))`,

  SOFAR:
    String.raw`(?!.*(?<!\p{L})${anyCase(`${NOT_YET_DE}, zurück, zurückgezogen`)}(?!\p{L}))` +
    String.raw`(?!.*(?:19|20)\d\d)`,
  /** As `SOFAR`, but it may tell of a return. */
  SOFARBACK: String.raw`(?!.*(?<!\p{L})${anyCase(NOT_YET_DE)}(?!\p{L}))(?!.*(?:19|20)\d\d)`,
  ICH:
    String.raw`(?<!\p{L})(?:[Ii]ch bin|[Bb]in ich|[Ii]ch habe?|[Hh]abe? ich|(?<=^)Bin|` +
    String.raw`(?<=^)Habe?)`,
  WIR: String.raw`(?<!\p{L})(?:[Ii]ch bin|[Bb]in ich|[Ww]ir sind|[Ss]ind wir|(?<=^)Bin|(?<=^)Sind)`,
  FIRMA:
    String.raw`(?!Dr\.|Frau |Herrn? |Prof|(?:Oma|Opa|Mama|Papa|Freunden|Null|Kapitel|Seite|Folge|` +
    String.raw`Teil|Punkt|Schritt|Level|Adam|Tee|Kaffee|Wasser|Milch|Bier|Wein|Bio|Yoga|Pilates|` +
    String.raw`Fleisch|Linux|Bahn|Bus|Rad|Fuß|Hause)(?!\p{L})|` +
    String.raw`\p{L}*(?:strom|milch|tarif|schicht|dienst|tee|kaffee|sport|auto|bad|gruppe|kurs|` +
    String.raw`arzt|ärztin|anbieter|methode|training)(?!\p{L}))`,
  STADT: String.raw`(?<value>\p{Lu}\p{L}+(?:[ -](?:am |an der |im )?\p{Lu}\p{L}+)*)(?![\p{L}-])`,
  FILL: String.raw`(?: (?!zu|bei|nach|von|aus)[\p{L}\d.]+){0,4}?`,

  SEA: String.raw`(?!.*(?<!\p{L})${anyCase(`
    voy a, vamos a, cuando, antes de, hasta, vacaciones, quiero, queremos, quizás?, tal vez,
    próxim[oa], que viene, mañana, casi, nunca, no, de niñ[oa], hace (?:\\p{L}+ )?años, entrevista,
    prácticas
  `)}(?!\p{L}))`,
  // A verb before `nos mudamos` shows that it is past.
  DONE: String.raw`(?:[Yy]a|[Pp]or fin|[Ff]inalmente|.*\p{Ll}{2}[éó](?!\p{L}).{0,40} y)`,
  /** What a new employer changes, unlike a new home. */
  WORKHOURS:
    String.raw`(?=.*(?<!\p{L})(?:${WORK.es}|turnos?|nómina|uniforme|` +
    String.raw`(?:salgo|entro) a l[ao]s?)(?!\p{L}))(?!.*trabajo)`,
  VOLVER:
    '[Vv]olví|[Vv]olvimos|[Hh]e vuelto|[Hh]emos vuelto|[Rr]egresé|[Rr]egresamos|' +
    '[Hh]e regresado|[Hh]emos regresado',
  EMPRESA: String.raw`(?:la |el )?${COMPANY}`,
  CIUDAD: String.raw`(?<value>\p{Lu}[\p{L}'’-]*(?:\s(?:(?:de|del|la|los) )?\p{Lu}[\p{L}'’-]*)*)`,

  WO: `(?:^|[，,。；;])${LATELY}(?:我们?(?:一家)?|咱们?)?${LATELY}`,
  GONGSI: '(?![这那他她它你我])(?<value>[\\p{Script=Han}A-Za-z·]{2,10}?)(?<![会群队团部党班课组])',
  GONGZUO: '(?:同事|上班|工作|环境|食堂|工资|薪水|老板|领导|试用期|公司|入职)',
  STOP: '(?=了|[，,。；;！!、\\s]|$)',
  CHENG:
    '(?![他她它你爸妈爷奶公婆叔舅姑姨姐妹哥弟儿女朋同老表堂家新酒宾旅客卧书厨阳楼办仓这那])' +
    '(?<value>(?:(?!的)\\p{Script=Han}){2,6}?)(?<![里上下边楼层间室房院厅台区校])',
});

const EN: readonly Rule[] = [
  rule.employerInPassing(
    "(?<![\\p{L}’'])I(?: now)? work as an? (?!volunteer)(?:[\\p{Ll}-]+ ){1,3}" +
      '(?:at|for) {EMPLOYER}(?=[.,;!]|$| (?:and|in)\\b)',
  ),
  rule.employerInPassing('^{NOW}.*?{I}(?:hired|employed|recruited) (?:by|at) {EMPLOYER}'),
  rule.employerInPassing(
    '^{NOW}(?:.*?[,;] )?{EMPLOYER} (?:has |just )*(?:hired|recruited) me(?=[.,;!]|$| (?:as|and|' +
      'so|last|in|on)\\b)',
  ),
  rule.employerInPassing(
    '^{NOW}.*?{I}(?:got|[Gg]ot|taken|took|[Tt]ook|accepted|landed|[Ll]anded|started|[Ss]tarted) ' +
      '(?:an?|the|my) (?:new |great )*(?:(?:job|position|role|post|gig|offer) (?:at|with)|' +
      '(?:job )?offer from) {EMPLOYER}',
  ),
  rule.employerInPassing(
    '^{NOW}.*?{I}(?:[Ss]tarted(?: work(?:ing)?)? (?:at|for)|[Jj]oined) {COMPANY}(?! for\\b)',
  ),
  rule.employerInPassing(
    '^{NOW}{WORK}.*?{I}(?:[Ss]witched|[Cc]hanged|[Mm]oved|[Tt]ransferred)(?: over)? to {EMPLOYER}',
  ),
  rule.employerInPassing(
    "^.*?(?<![\\p{L}’'])I[’']ve been (?:working )?(?:at|for) {EMPLOYER} {SINCE}",
  ),
  rule.employerInPassing(
    '^{NOW}.*?[Mm]y first (?:week|month|shift|paycheck|payday)s? (?:at|from) {COMPANY}',
  ),
  rule.residenceInPassing('^{NOW}{HOME}.*?{RECENT}(?:[Mm]oved|[Rr]elocated) to {TOWN}{AND}'),
  rule.residenceInPassing(
    '^{NOW}{HOME}(?:I|[Ww]e|[Ss]tarted|[Gg]ot|[Ff]ound|[Qq]uit) [^.;!?]{2,60}?(?:,| and) ' +
      '(?:have |then |also |we |I )?(?:moved|relocated) to {TOWN}(?=[.,!]|$| (?:for|last|this|' +
      'in)\\b)',
  ),
  rule.residenceInPassing(
    '^{NOW}{HOME}(?:.*?{WE}|.*?[,;] |{RECENT})(?:[Mm]oved|[Rr]elocated) back to {TOWN}{AND}',
  ),
  rule.residenceInPassing('^{NOW}{HOME}.*?{WE}(?:settled|resettled)(?: down)? in {TOWN}'),
  rule.residenceInPassing(
    "^.*?(?<![\\p{L}’'])(?:I|[Ww]e)(?:[’']ve| have) (?:been living|lived|been based) " +
      'in {TOWN} {SINCE}',
  ),
];

const DE: readonly Rule[] = [
  rule.employerInPassing(
    '(?:[Ii]ch arbeite|[Aa]rbeite ich)(?: jetzt)? als (?:\\p{Ll}+ )?' +
      '\\p{Lu}\\p{L}+ bei (?:der |dem )?{FIRMA}{COMPANY}(?=[.,;!]|$| und )',
  ),
  rule.employerInPassing(
    '^{SOFAR}{WORKDE}.*?{ICH}{FILL} zu(?:r|m)? {FIRMA}(?<value>\\p{Lu}[\\p{L}&.-]*(?: ' +
      '\\p{Lu}[\\p{L}&.-]*)*)(?: \\p{Ll}+)? gewechselt',
  ),
  rule.employerInPassing(
    '^{SOFAR}.*?{ICH}{FILL} bei (?:der |dem )?{FIRMA}{COMPANY}(?: \\p{Ll}+)? ' +
      '(?:angefangen|begonnen|eingestellt|angestellt|untergekommen|gelandet)',
  ),
  rule.employerInPassing(
    '^{SOFAR}(?:.*?, )?(?:[Dd]ie )?{FIRMA}{EMPLOYER} hat mich (?:\\p{Ll}+ ){0,2}(?:eingestellt|' +
      'übernommen|angeworben)',
  ),
  rule.employerInPassing(
    `^{SOFAR}(?:.*?[,;] )?[Ss]eit (?:\\p{Ll}+ )?(?:${MONTHS.de}|kurzem|Monat|Woche|Jahr|` +
      'Frühjahr|Sommer|Herbst|Winter) (?:bin|arbeite|jobbe) ich ' +
      '(?:jetzt |nun )?bei (?:der |dem )?{FIRMA}{COMPANY}',
  ),
  rule.employerInPassing(
    '^{SOFAR}(?:.*?[,;] )?[Ii]ch bin (?:jetzt|nun|inzwischen|mittlerweile) bei (?:der |dem ' +
      ')?{FIRMA}{COMPANY}' +
      '(?=[.,;!]|$| und | als )',
  ),
  rule.residenceInPassing('^{SOFAR}.*?{WIR}(?: [\\p{L}\\d.]+){0,9}? nach {STADT} (?:um)?gezogen'),
  rule.residenceInPassing(
    '^{SOFARBACK}.*?{WIR}(?: [\\p{L}\\d.]+){0,9}? (?:zurück )?nach {STADT} (?:zurück)?gezogen',
  ),
  rule.residenceInPassing(
    '^{SOFARBACK}(?:.*?[,;] )?(?:[Ii]ch (?:wohne|lebe)|[Ww]ir (?:wohnen|leben)|' +
      '[Ww]ohnen? (?:ich|wir)|[Ww]ohne)(?: \\p{Ll}+){0,2} wieder in {STADT}',
  ),
];

const ES: readonly Rule[] = [
  rule.employerInPassing(
    '[Tt]rabajo (?:como|de) (?:una? )?(?:\\p{Ll}+ ){1,3}(?:en|para) {EMPRESA}',
  ),
  rule.employerInPassing(
    '^{SEA}.*?(?:[Ee]ntré|[Hh]e entrado|[Cc]omencé|[Hh]e comenzado|[Mm]e fui|[Mm]e he ido|' +
      '[Pp]asé) ' +
      'a trabajar (?:en|para|a|con) (?:la |el )?{EMPLOYER}',
  ),
  rule.employerInPassing(
    '^{SEA}.*?(?<!\\p{L})(?:[Ee]mpecé|[Hh]e empezado|[Cc]omencé|[Hh]e comenzado) en {EMPRESA}',
  ),
  rule.employerInPassing(
    '^{SEA}.*?(?<!\\p{L})[Mm]e (?:contrataron|han contratado|ficharon|han fichado|dieron (?:el ' +
      ')?(?:trabajo|' +
      'puesto)) en (?:la |el )?{EMPLOYER}',
  ),
  rule.employerInPassing(
    '^{SEA}.*?(?<!\\p{L})(?:[Mm]e (?:contrató|ha contratado|fichó|ha fichado)|[Ff]iché por|' +
      '[Hh]e fichado por) ' +
      '(?:la |el )?{EMPLOYER}',
  ),
  rule.employerInPassing(
    '^{SEA}{WORKES}.*?(?<!\\p{L})[Mm]e (?:cambié|he cambiado|pasé|he pasado) a (?:la |el ' +
      ')?{EMPLOYER}',
  ),
  rule.employerInPassing(
    '(?<!\\p{L})[Dd]esde que (?:trabajo|estoy trabajando|(?:empecé|entré|he empezado)(?: a ' +
      'trabajar)?) en {EMPRESA}',
  ),
  rule.employerInPassing('^{WORKHOURS}.*?(?<!\\p{L})[Dd]esde que estoy en {EMPRESA}'),
  rule.residenceInPassing('^{SEA}{DONE} nos mudamos a {CIUDAD}'),
  rule.residenceInPassing(
    '^{SEA}.*?(?<!\\p{L})(?:[Mm]e (?:vine|fui|he venido|he ido)|[Nn]os (?:vinimos|fuimos|hemos ' +
      '(?:venido|ido))) ' +
      'a vivir a {CIUDAD}',
  ),
  rule.residenceInPassing(
    '^{SEA}.*?(?<!\\p{L})(?:[Mm]e |[Nn]os )?(?:(?:{VOLVER}) a (?:vivir (?:a|en)|' +
      'mudar(?:me|nos)? a)|[Vv]iv(?:o|imos) (?:otra vez|de nuevo) en|' +
      '(?:mudé|mudamos|he mudado|hemos mudado) (?:de vuelta|otra vez|de nuevo) a) {CIUDAD}',
  ),
  rule.residenceInPassing(
    '^{SEA}.*?(?<!\\p{L})(?:[Mm]e (?:instalé|he instalado)|[Nn]os (?:instalamos|hemos instalado)|' +
      '[Ee]stoy instalad[oa]|[Ee]stamos instalad[oa]s|[Ee]stoy viviendo|[Ee]stamos viviendo) en ' +
      '{CIUDAD}',
  ),
];

const ZH: readonly Rule[] = [
  rule.employerInPassing('{WO}(?:跳槽(?:到|去|进)|跳到|入职)了?{GONGSI}(?:工作|上班)?{STOP}'),
  rule.employerInPassing('(?=.*{GONGZUO}){WO}(?:加入|进(?!入))了?{GONGSI}{STOP}'),
  rule.employerInPassing(
    '{WO}(?:换到|换去|改到|去)了?(?!医院|家|公司|单位|办公室|学校|图书馆|工地|店){GONGSI}(?:上班|工作|任职)了',
  ),
  rule.employerInPassing('{WO}被{GONGSI}(?:录用|录取|挖走|聘用)了?'),
  rule.residenceInPassing(
    '{WO}(?:一?家)?(?:都)?搬(?:家)?(?:到|去|来)了?{CHENG}(?:住|生活|定居)?了',
  ),
  rule.residenceInPassing(
    '{WO}(?:一?家)?(?:都|又)?(?:搬|住)回(?:到|来|去)?了?(?!宿舍|公司|总部|原)' +
      '{CHENG}(?:住|生活|定居)?(?:了|(?=[，,。！]|$))',
  ),
  rule.residenceInPassing('{WO}(?:又|重新)住在{CHENG}{STOP}'),
  rule.residenceInPassing('{WO}在{CHENG}(?:定居|安家|落户|安顿)(?:下来)?了?'),
];

export const JOB_AND_HOME_CHANGES: RulesByLanguage = { en: EN, de: DE, es: ES, zh: ZH };

/** Moves to what may be an employer: alone, they only mark a known one. */
export const MAYBE_JOINED: Readonly<Record<Language, readonly string[]>> = {
  en: sourcesOf(
    '^{NOW}{HOME}{NOCUSTOMER}.*?{I}(?:[Ss]witched|[Jj]umped ship|[Dd]efected)(?: over)? to ' +
      '{COMPANY}{SOME}',
  ),
  de: sourcesOf(
    '^{SOFAR}{NOCUSTOMER}.*?{ICH}{FILL} zu(?:r|m)? {FIRMA}{COMPANY}(?: \\p{Ll}+)? gewechselt',
  ),
  es: sourcesOf(
    '^{SEA}{NOCUSTOMER}.*?(?<!\\p{L})[Mm]e (?:cambié|he cambiado|pasé|he pasado) a {EMPRESA}',
  ),
  zh: [],
};

function sourcesOf(...patterns: readonly string[]): readonly string[] {
  return patterns.map((pattern) => rule.employerInPassing(pattern).pattern.source);
}
