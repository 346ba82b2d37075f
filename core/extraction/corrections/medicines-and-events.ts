/**
 * Corrections that people make beside something else: they stop a medicine ("my doctor took me off
 * metformin", "Novalgin konnte ich absetzen"), an event moves by a week, and more guests come.
 */
import { WEEKDAYS } from '../../text/calendar-words.ts';
import { anyWholeWord, oneOf } from '../../text/pattern.ts';
import type { Language } from '../../text/language.ts';
import { MAYBE_JOINED } from '../rules/job-and-home-changes.ts';
import { correctionMaker, RULE_OPTIONS, type CorrectionBook } from '../correction-book.ts';

type InPassing = Pick<CorrectionBook, 'gone' | 'states'>;

/** Says that somebody takes or uses something. */
const TAKES = {
  en: anyWholeWord(`
    take, takes, taking, use, uses, using, on, prescribed, inject, need, needs, started
  `),
  de: anyWholeWord(`
    nehme, nimmt, nehmen, bekomme, bekommt, brauche, benutze, spritze, verschrieben, umgestellt
  `),
  es: anyWholeWord(`
    tomo, toma, tomando, uso, usa, usando, necesito, recetó, recetaron, recetado, inyecto, pincho
  `),
  zh: '吃|服|用|打|喝|开了',
} as const;

/** Events with a day, as a sentence about them begins. */
const DATED = String.raw`^(?=.*(?:\d|\p{Ll}day\b|tag(?!\p{L})|Mittwoch|${WEEKDAYS.es}))`;
const EVENT_ON_DAY =
  String.raw`${DATED}{EVENT}(?: of [^.,;]{2,30}?)? ` +
  String.raw`(?:is|was|will be|takes place|starts|begins|falls)\b`;
const SUCESO_CON_FECHA =
  String.raw`${DATED}{SUCESO} (?:de [^.,;]{2,30}? )?` +
  String.raw`(?:es|será|empieza|cae)(?!\p{L})`;
const DATED_ZH = '^(?=.*(?:[\\d一二三四五六七八九十]+[月日号]|周|星期))';

const { gone, state, stateOf } = correctionMaker({
  ME:
    String.raw`(?<![\p{L}'’])(?:I|[Ww]e)(?:['’](?:ve|m)| have| am| was| got)?(?: (?:just|finally|` +
    String.raw`now|also|recently))* `,
  IT:
    String.raw`(?:(?:the|my|this|any) )?(?<gone>[\p{L}\p{N}][\p{L}\p{N}-]*` +
    String.raw`(?: [\p{L}\p{N}-]+){0,2}?)(?=\s*(?:[.,;:!?()–—]|$)|\s${anyWholeWord(`
      and, but, so, because, since, after, last, this, for, when, yesterday, now, in, on, at, again,
      completely, recently, altogether, a, two, three, as, over, any ?more, these
    `)})`,
  ALONE:
    String.raw`(?:(?:[Tt]he|[Mm]y) )?(?<gone>\p{L}[\p{L}-]+)(?: (?:tablets|pills|drops|` +
    String.raw`injections|course))?`,

  DOCTOR:
    String.raw`(?:[Tt]he|[Mm]y)(?: new)? (?:doctors?|GP|physician|nurse|consultant|pharmacist|` +
    String.raw`psychiatrist|specialist|dentist|vet|\p{Ll}+(?:ologist|iatrician))`,

  PRAXIS:
    String.raw`(?:[Dd]er|[Dd]ie|[Mm]eine?)(?: neuer?)? (?:\p{L}*(?:[Aa]rzt|[Ää]rztin)|` +
    String.raw`\p{Lu}\p{Ll}+(?:loge|login|iater|iaterin))`,
  ARZT: String.raw`(?:[Dd]er|[Dd]ie|[Mm]eine?)(?: \p{Lu}[\p{L}-]+){1,2}`,
  DAS: String.raw`(?:(?:[Dd]as|[Dd]ie|[Dd]en|[Mm]ein|[Mm]eine|[Mm]einen) )?`,
  MITTEL: String.raw`(?<gone>\p{Lu}[\p{L}-]+)`,
  WORTE: String.raw`(?:(?!nicht|nie|keine?n?|noch)[\p{Ll}\d]+ (?:\p{Lu}\p{Ll}+ )?){0,4}?`,
  AB: oneOf('absetzen, weglassen, ausschleichen'),
  ABGESETZT: oneOf('abgesetzt, weggelassen, ausgeschlichen, gestrichen'),

  EL: String.raw`(?:(?:el|la|los|las|mi|mis) )?`,
  LO:
    String.raw`(?<gone>\p{L}{4,}(?: \p{L}{4,})??)(?=\s*(?:[.,;:!?]|$)|\s(?:y|pero|porque|en|el|` +
    String.raw`la|desde|hace|por|ya|después|tras|ayer|hoy|anoche|est[ea]|para)(?:\s|[.,;!]|$))`,

  WO: '(?:^|[，,。；;])(?:我的?)?',
  YAO: '(?<gone>[\\p{Script=Han}A-Za-z]{2,8}?)',
  ZHONG:
    '(?:[，,]?(?:我|医生让我|上个?[周月]|今年|[一二三四五六七八九十\\d]+月|已经|终于|早就|现在|就|都|也))*',

  SPAN:
    String.raw`(?:a|an|one|two|three|four|five|six|seven|eight|nine|ten|a few|several|\d+) ` +
    String.raw`(?:days?|weeks?|months?)`,
  EVENT: String.raw`(?<who>(?:[Tt]he|[Oo]ur|[Mm]y) (?:[\p{Ll}-]+ )??[\p{Ll}-]+)`,
  SPANNE:
    String.raw`(?:eine?n?|zwei|drei|vier|fünf|sechs|zehn|paar|\d+) ` +
    '(?:Tage?n?|Wochen?|Monate?n?)',
  EREIGNIS: String.raw`(?<who>(?:[Dd]er|[Dd]ie|[Dd]as|[Mm]eine?|[Uu]nsere?) \p{Lu}[\p{L}-]+)`,
  PLAZO:
    String.raw`(?:una?|un par de|dos|tres|cuatro|cinco|seis|diez|unos|unas|\d+) (?:días?|` +
    String.raw`semanas?|mes(?:es)?)`,
  SUCESO: String.raw`(?<who>(?:[Ee]l|[Ll]a|[Mm]i|[Nn]uestr[oa]) \p{Ll}+)`,
  DUAN: '(?:[一两二三四五六七八九十几半\\d]+)个?(?:天|日|周|星期|礼拜|月)',
  SHI: '(?<who>(?![他她你这那]|.{0,3}的)\\p{Script=Han}{2,4}?)',
});

/** People who come or take part: their number is one at a time. */
const PEOPLE = {
  en: oneOf(`
    guests?, people, persons, attendees, participants, kids, children, students, pupils, members,
    players, visitors, invitees
  `),
  de: oneOf(`
    Gästen?, Leuten?, Personen, Teilnehmern?, Kindern?, Schülern?, Mitgliedern?, Spielern?,
    Besuchern?, Menschen
  `),
  es: oneOf(`
    invitad[oa]s, personas, gente, asistentes, participantes, niñ[oa]s, alumn[oa]s, miembros
  `),
  zh: '(?:个|位|名)?(?:客人|宾客|人|嘉宾|学生|孩子|小朋友|参加者|队员|会员)',
} as const;
const COUNT = String.raw`(?<value>\d{1,5})`;

const EN: InPassing = {
  gone: [
    gone('{ME}(?:came|come|gone|weaned(?: myself)?|tapered(?: myself)?) off {IT}', TAKES.en),
    gone(
      String.raw`(?<!(?:n['’]t|not|never|to|will|would|might|may|could|should)(?: \w+)? )` +
        String.raw`(?:took|taken|weaned|pulled|got|tapered) me off {IT}`,
      TAKES.en,
    ),
    gone('{ME}(?:stopped|quit|discontinued) (?:taking |using )?{IT}', TAKES.en),
    gone('(?:switched|changed|moved) me (?:over )?from {IT}', TAKES.en),
    gone(
      String.raw`(?:switched|changed|moved) me (?:over )?from (?:the |my )?(?<gone>[\p{L}-]+) ` +
        String.raw`(?:on)?to\s`,
      TAKES.en,
    ),
    gone(
      String.raw`(?:^|(?<![\p{L}'’])(?:I|[Ww]e|[Tt]hey|{DOCTOR})(?:['’]ve| have| has)? ` +
        String.raw`(?:just |now |also )*)(?:[Ss]wapped|[Ss]witched|[Rr]eplaced|[Ee]xchanged|` +
        String.raw`[Cc]hanged) (?:the |my )?(?<gone>\p{L}[\p{L}-]+) (?:for|with|to|by) \p{L}`,
      TAKES.en,
    ),
    gone(
      String.raw`(?:(?<![\p{L}'’])I(?: really)? (?:no longer|don['’]t|do not) (?:take|need|use|` +
        String.raw`have to take) (?:the |my |any )?(?<gone>[\p{L}-]+(?: [\p{L}-]+){0,2}?))` +
        String.raw`(?: any ?more| any longer| now|(?<=no longer .*))(?=[.,;!]|$)`,
      TAKES.en,
      RULE_OPTIONS.whole,
    ),
    gone(
      String.raw`^(?:.*?, )?{ALONE} (?:is|are|was|were|has been|have been|got) (?:now |finally |` +
        String.raw`just )?(?:finished|stopped|discontinued|tapered off|phased out)(?=[.,;!]|$| ` +
        String.raw`(?:now|since|in|on|last|for good)\b)`,
      TAKES.en,
    ),
  ],
  states: [
    ...MAYBE_JOINED.en.map((joined) => ({
      ...stateOf('employer', joined),
      ...RULE_OPTIONS.inPart,
    })),
    state(
      String.raw`(?:^|[,;] |\s(?:so|and) ){EVENT}(?: (?:has|have|had|was|is|got|been|being|gets|` +
        String.raw`now|to be))*(?: (?:pushed|moved|moves|slipped|slips|shifted|shifts|delayed|` +
        String.raw`postponed|put|brought|set|bumped))(?: (?:back|out|forward|up|off))?(?: by)? ` +
        String.raw`{SPAN}(?: (?:later|earlier|back|forward|out))?(?!\p{L})`,
      EVENT_ON_DAY,
    ),
    state(
      String.raw`(?:I|[Ww]e|[Tt]hey)(?:['’]ve| have| had to| have to)* (?:push(?:ed)?|mov(?:e|ed)` +
        String.raw`|delay(?:ed)?|postponed?|shift(?:ed)?|bump(?:ed)?|put|br(?:ing|ought)) {EVENT}` +
        String.raw`(?: (?:back|out|forward|up|off))?(?: by)? {SPAN}`,
      EVENT_ON_DAY,
    ),
    // The things to do for one large event move together.
    state(
      String.raw`(?:^|[,;] |\s(?:so|and) )(?:everything|it all|the whole thing) (?:moves|shifts|` +
        String.raw`slips|is (?:pushed|` +
        String.raw`moved)|got (?:pushed|moved))(?: back| forward)?(?: by)? {SPAN}`,
      String.raw`${DATED}(?:The|Our|My) (?:\w+ )?(?:wedding|party|launch|opening|conference|move|` +
        String.raw`festival|trip|go-live|ceremony|reunion) (?:is|starts|takes place|will be)\b`,
      RULE_OPTIONS.inPart,
    ),
    state(
      String.raw`(?:^|[,;] |\b(?:[Ss]o|and|now) )(?:[Ww]e|[Tt]hey|[Ii]t)(?:['’](?:re|s)| are| is)` +
        String.raw` (?:now )?(?:(?:at |up to |down to |more like |closer to |about |around )+|` +
        String.raw`(?=\d+ ${PEOPLE.en}|(?<=e.{3,5})\d+ now))${COUNT}(?: ${PEOPLE.en})?(?: now)?` +
        String.raw`(?=[.,;!]|$)`,
      String.raw`^(?:We|I)(?:['’]re| are|['’]m| am)? (?:now )?(?:expect|expecting|invite|` +
        String.raw`inviting|invited|have|plan for|planning for|cater for)(?: for)?(?: about| ` +
        String.raw`around| roughly| some)? ${COUNT} ${PEOPLE.en}\b`,
    ),
    state(
      String.raw`(?:^|[,;] |\b(?:so|and|now|we) )(?:[Ww]e|[Tt]hey|[Ii]t|[Tt]here)(?:['’](?:re|s)|` +
        String.raw` are| is) (?:now )?(?:at |up to |down to |more like )*${COUNT} ${PEOPLE.en}` +
        String.raw`(?: now)?(?=[.,;!]|$| in\b)`,
      String.raw`^There are(?: about| around)? ${COUNT} ${PEOPLE.en}\b`,
    ),
  ],
};

const DE: InPassing = {
  gone: [
    gone('(?:^|[,;.] |und ){DAS}{MITTEL} (?:konnte|durfte|kann|darf) ich {WORTE}{AB}', TAKES.de),
    gone(
      '(?:[Ii]ch (?:konnte|durfte)|(?:konnte|durfte) ich) {WORTE}{DAS}{MITTEL} {WORTE}{AB}',
      TAKES.de,
    ),
    gone('(?:^|[,;.] |und ){DAS}{MITTEL} (?:habe?|hab) ich {WORTE}{ABGESETZT}', TAKES.de),
    gone('{ARZT} hat (?:mir )?{DAS}{MITTEL} {WORTE}{ABGESETZT}', TAKES.de),
    gone(
      String.raw`hat (?:mir |uns )?(?:statt|anstatt|anstelle von)(?: de[mrs])? {MITTEL} ` +
        String.raw`[^.,;!?]{1,40}(?:verschrieben|gegeben|verordnet)`,
      TAKES.de,
    ),
    gone('(?:^|[,;.] |und ){DAS}{MITTEL} (?:wurde|ist) (?:mir )?{WORTE}{ABGESETZT}', TAKES.de),
    gone(
      '(?:^|[,;.] |und ){DAS}{MITTEL} (?:brauche?|nehme?|vertrage?|muss|benutze?) ich ' +
        String.raw`(?:(?!noch)\p{Ll}+ (?:\p{Lu}\p{Ll}+ )?){0,3}?nicht mehr(?! (?:vor|nach|ohne|` +
        String.raw`mit|zum|zur|so|als|ganz|jeden|täglich)(?!\p{L}))`,
      TAKES.de,
    ),
    gone(
      String.raw`[Vv]o(?:m|n(?: den| der)?) {MITTEL} bin ich {WORTE}(?:weg|runter|los|` +
        String.raw`ab)(?=[.,;!]|$| und )`,
      TAKES.de,
    ),
    gone(
      String.raw`[Ii]ch bin {WORTE}vo(?:m|n(?: den| der)?) {MITTEL} {WORTE}(?:weg|runter|` +
        String.raw`los)(?=[.,;!]|$| und )`,
      TAKES.de,
    ),
    gone(
      String.raw`{PRAXIS} hat (?:mir )?{WORTE}{DAS}{MITTEL} (?:durch|gegen) [^.,;:!?]+ ` +
        String.raw`(?:ersetzt|(?:aus|ge)tauscht)`,
      TAKES.de,
    ),
    gone(
      String.raw`(?:hat|haben) mich von (?:der |dem )?{MITTEL} auf \p{Lu}\p{L}+ umgestellt`,
      TAKES.de,
    ),
  ],
  states: [
    ...MAYBE_JOINED.de.map((joined) => ({
      ...stateOf('employer', joined),
      ...RULE_OPTIONS.inPart,
    })),
    state(
      String.raw`(?:^|[,;] |und ){EREIGNIS} (?:(?:verschiebt sich|rutscht|verzögert sich)` +
        String.raw`(?: \p{Ll}+)? (?:um )?{SPANNE}|(?:wurde|wird|ist)(?: (?!in)\p{Ll}+)? (?:um )?` +
        String.raw`{SPANNE}(?: (?:nach (?:hinten|vorne?)|später|früher))? (?:verschoben|verlegt|` +
        String.raw`geschoben|vorgezogen|gerutscht|vertagt))(?!\p{L})`,
      String.raw`${DATED}{EREIGNIS} (?:ist|findet|beginnt|startet|war)(?!\p{L})`,
    ),
    state(
      String.raw`(?:^|[,;] |und )(?:[Ww]ir (?:sind|werden)|[Ee]s (?:sind|werden)|[Ii]nzwischen ` +
        String.raw`(?:sind|werden) (?:wir|es)|[Jj]etzt (?:sind|werden) (?:wir|es)) ` +
        String.raw`(?:(?:jetzt|nun|inzwischen|eher|bei|etwa|schon|rund|wohl|an die) )*${COUNT}` +
        String.raw`(?: ${PEOPLE.de})?(?=[.,;!]|$| statt)`,
      String.raw`^(?:Wir|Ich) (?:erwarten?|laden?|haben?|rechnen?|planen?|sind)(?: mit)?(?: etwa|` +
        String.raw` rund| ungefähr| circa)? ${COUNT} ${PEOPLE.de}(?!\p{L}| (?:in|im|bei)\s)`,
    ),
  ],
};

const ES: InPassing = {
  gone: [
    gone(
      String.raw`(?<!\p{L})(?<!\bno )[Mm]e (?:quitó|quitaron|ha quitado|han quitado|retiró|` +
        String.raw`retiraron|ha retirado|` +
        String.raw`han retirado|suspendió|suspendieron|ha suspendido|han suspendido) {EL}{LO}`,
      TAKES.es,
    ),
    gone(
      String.raw`(?<!\p{L})(?<!\bno )(?:[Dd]ejé|[Hh]e dejado|[Pp]ude dejar|[Hh]e podido dejar|` +
        String.raw`[Ss]uspendí) ` +
        '(?:de (?:tomar|usar) )?{EL}{LO}',
      TAKES.es,
    ),
    gone(
      String.raw`(?<!\p{L})(?<!\bno )[Mm]e (?:cambió|cambiaron|ha cambiado|han cambiado) {EL}` +
        String.raw`(?<gone>\p{L}{4,}) por (?:el |la )?\p{L}+`,
      TAKES.es,
    ),
    gone('(?<!\\p{L})[Yy]a no (?:tomo|necesito|uso) {EL}{LO}', TAKES.es),
    gone(
      String.raw`(?:^|[,;] )(?:[Ee]l |[Ll]a )?(?<gone>\p{L}{4,}) ya no (?:l[ao]s? )?(?:tomo|` +
        String.raw`necesito|uso)(?=[.,;!]|$)`,
      TAKES.es,
    ),
  ],
  states: [
    ...MAYBE_JOINED.es.map((joined) => ({
      ...stateOf('employer', joined),
      ...RULE_OPTIONS.inPart,
    })),
    state(
      String.raw`(?:^|[,;] |y ){SUCESO} (?:se (?:nos |me )?(?:ha )?)?(?:retras\p{L}+|` +
        String.raw`atras\p{L}+|aplaz\p{L}+|adelant\p{L}+|` +
        String.raw`pospuso|pospone|pospuesto|corr\p{L}+)(?: en)? {PLAZO}`,
      SUCESO_CON_FECHA,
    ),
    state(
      String.raw`(?<!\p{L})(?:[Nn]os|[Mm]e) (?:han |ha )?(?:retras|atras|aplaz|adelant|pospus|` +
        String.raw`pospuest|corri)\p{L}+ ` +
        '{SUCESO}(?: en)? {PLAZO}',
      SUCESO_CON_FECHA,
    ),
    state(
      String.raw`(?:^|[,;] |y )(?:(?:[Aa]hora|[Yy]a|[Aa]l final) )*(?:somos|seremos|son|serán|` +
        String.raw`vamos a ser|van a ser|vienen) (?:(?:ya|ahora|más bien|como|unos|unas|casi|` +
        String.raw`cerca de) )*${COUNT}(?: ${PEOPLE.es})?(?=[.,;!]|$| en )`,
      String.raw`^(?:Esperamos|Invitamos|Tenemos|Espero|Invité|Somos)(?: a)?(?: unos| unas| ` +
        String.raw`como)? ${COUNT} ${PEOPLE.es}(?!\p{L})`,
    ),
  ],
};

const ZH: InPassing = {
  gone: [
    gone(
      '{WO}(?:医生|大夫)(?:已经)?(?:让|叫|给|帮)我?(?:把)?(?:停了|停掉了?|停用了?|停吃)(?:了)?{YAO}(?=了?(?:[，,。！；]|$))',
      TAKES.zh,
    ),
    gone('{WO}(?:医生|大夫)(?:已经)?(?:给|帮|替)?我?[把将]{YAO}(?:换|改)成', TAKES.zh),
    gone('{WO}(?:医生|大夫)(?:已经)?(?:让|叫|给|帮)?我?把{YAO}(?:停|停掉|停用|换掉)了', TAKES.zh),
    gone(
      '{WO}{YAO}{ZHONG}(?:停了|停药|停掉|停用|不吃了|不用吃了?|不用了|不再吃|不再用|不需要(?:吃)?了|戒了)' +
        '(?!.{0,4}(?:吗|[就会要]))',
      TAKES.zh,
    ),
  ],
  states: [
    state(
      '(?:^|[，,。；;])(?:所以|因此|我们?的?)*{SHI}(?:只能|只好|要|得|又|被|会|必须|可能)*(?:(?:往|向)[后前])?' +
        '(?:推迟?|延迟?|延[后期]|顺延|晚|提前|挪)了?{DUAN}',
      `${DATED_ZH}(?:我们?的?)?{SHI}(?:是|在|定在|安排在)`,
    ),
    state(
      `(?:^|[，,。；;])(?:我们)?(?:现在|如今|目前|最后|已经|差不多|大概|大约|应该|变成|一共|有|是|会|来|到)+${COUNT}` +
        `${PEOPLE.zh}了?(?=[，,。！]|$)`,
      `^我们?(?:大概|大约|差不多|预计|一共)*(?:有|请了?|邀请了?|是)(?:大概|大约|差不多)?${COUNT}${PEOPLE.zh}`,
    ),
  ],
};

export const IN_PASSING: Readonly<Record<Language, InPassing>> = { en: EN, de: DE, es: ES, zh: ZH };
