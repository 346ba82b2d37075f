/**
 * Recognizes an assistant that is a person. Chats between two people are stored with one of them
 * in the role `assistant`; what that one tells of his own life counts like a user's words. Programs
 * speak so in drafts, translations and reports of their work; people also ask each other questions.
 */
import { anyOf, oneOf } from '../../text/pattern.ts';

/** What is read of a passage, in UTF-16 code units. */
const UNITS_MAX = 600;

/** What a program says of its own answers and of the work it did. */
const OWN_ANSWERS = {
  of: oneOf(`
    best(?!\\p{L}), advice, suggest, recommend, answer, guess, repl(?:y|ies), apolog, bad(?!\\p{L}),
    mistake, opinion, pleasure, view, take(?!\\p{L}), summary, list(?!\\p{L}), previous,
    last (?:message|answer|reply|note), earlier, point, understanding, knowledge, response,
    training, memory, honest, side, end(?!\\p{L}), notes?(?!\\p{L}), draft, vote, favou?rite,
    friend(?!\\p{L})
  `),
  verb: oneOf(`
    mention, suggest, recommend, list, add(?:ed)?(?!\\p{L}), draft, noted, flag, attach, includ,
    assum, kept, remov, chang, correct, updat, record, wrote, said, made, put, meant, need,
    look(?:ed)?(?: \\p{L}+)? (?:in)?to(?!\\p{L}), check, test, fix, tried, r[au]n into,
    ran (?:it|the|all), used(?!\\p{L}), search, creat, replac, merg, install, compar, copied,
    sav, upload, e-?mail, sen[dt] you, book, cancel, schedul, confirm, verif, review, went through,
    got (?:it|through|th), left it, took it, exclud
  `),
  doing: oneOf(`
    going to(?!\\p{L}), looking, assuming, afraid, wondering, guessing, hoping, suggesting, talking,
    leaving, using, keeping, asking, thinking, missing, reading (?:it|this|that), treating, adding,
    counting
  `),
};

/** What people do from day to day. */
const LIFE_DE = oneOf(`
  war(?:en)?, hatten?, ging(?:en)?, kam(?:en)?, fuhr(?:en)?, wollten?, mussten?, geh(?:e|en)?,
  fahr(?:e|en)?, arbeit(?:e|en)?, wohn(?:e|en)?, sitz(?:e|en)?, lieg(?:e|en)?, ess(?:e|en)?,
  trink(?:e|en)?, schlaf(?:e|en)?, lern(?:e|en)?, spiel(?:e|en)?, kauf(?:e|en)?, koch(?:e|en)?,
  zieh(?:e|en)?, krieg(?:e|en)?, bekomm(?:e|en)?
`);
const LIFE_ZH = `
  这(?:边|儿|周|个月|学期|几天), 那(?:个|边|儿|会儿|天), 上(?:个?月|周|班|学|课), 下(?:周|个?月|班), 昨, 今, 明,
  前天, 后天, 早上, 晚上, 中午, 周[一二三四五六末日], 小时候, 以前, 刚(?:从|到|下|回|买|吃|睡|搬), 家(?!长), 妈, 爸, 爷, 奶, 姥,
  外公, 外婆, 哥, 姐, 弟, 妹, 舅, 姨, 叔, 姑, 老公, 老婆, 先生, 太太, 媳妇, 女儿, 儿子, 闺女, 孩子, 娃, 对象, 男朋友, 女朋友,
  同事, 室友, 同学, 老板, 领导, 导师, 师父, 徒弟, 去(?!掉|年的), 回(?!答|复), 搬, 换(?!成|个说法|一种|句), 买, 租, 住, 吃, 喝,
  睡, 养, 种, 学(?!习到), 报了?名, 考, 跑, 骑, 开车, 坐车, 请假, 辞, 加班, 出差, 值班, 相亲, 结婚, 离婚, 怀孕, 生病, 感冒, 发烧,
  装修, 花了, 挣, 带(?:着|了|他|她|娃|孩子), 自己(?:做|住|在|也|都), 一个人, 也(?:去|买|吃|住|搬|换|养|学),
  正在?(?:吃|路|上|家|收拾|忙), 在(?:家|外|上|公司|医院|学校|路上|车上|单位|老家)
`;

const TELLS = anyOf(
  String.raw`(?<![\p{L}'’])my (?!${OWN_ANSWERS.of})\p{L}`,
  String.raw`(?<![\p{L}'’])(?:I|we) (?!${OWN_ANSWERS.verb})` +
    String.raw`(?:(?:just|also|even|almost|finally|actually|never|only|both) )?` +
    String.raw`(?:\p{L}{2,}ed|went|took|got|gave|bought|had|was|were|saw|met|ate|drove|lost|` +
    String.raw`left|came|slept|woke|ran|grew|sold|won|spent|built|brought|fell|began|taught|` +
    String.raw`paid|quit)\b`,
  String.raw`(?<![\p{L}'’])I['’]ve been\b`,
  String.raw`(?<![\p{L}'’])I['’]m (?!${OWN_ANSWERS.doing})\p{L}+ing\b`,
  String.raw`(?<!\p{L})(?:bei|mit) (?:mir|uns)(?!\p{L})`,
  String.raw`(?<!\p{L})mein(?:e[mnrs]?)? (?!Vorschl|Rat\b|Empfehl|Tipp|Fehler|Antwort|Meinung|` +
    String.raw`Entwurf|Notiz|Liste|Eindruck|Gegenüber)\p{L}`,
  String.raw`(?<!\p{L})(?:ich|wir) (?:${LIFE_DE}|sind|freu(?:e|en)? (?:mich|uns)|` +
    String.raw`bin (?:jetzt|gerade|noch|seit|am|im|in|bei|auf|so|schon|auch|ja))(?!\p{L})`,
  String.raw`(?<!\p{L})(?:war|hatte|habe?|bin|geh|fahr|sitz|lieg|arbeite|wohne) (?:ich|wir) ` +
    String.raw`(?!dir)`,
  String.raw`(?<!\p{L})(?:gestern|heute|neulich|letzte[ns]? \p{L}+|am \p{L}+tag) ` +
    String.raw`(?:hab(?:e|en)?|war(?:en)?|bin|sind) (?:ich|wir)`,
  String.raw`(?<!\p{L})mis? (?!sugeren|consejo|recomend|respuest|opini|lista|propuest|error|` +
    String.raw`borrador|nota)\p{L}`,
  String.raw`(?<!\p{L})(?:yo|ya|me|nos) ` +
    String.raw`(?:\p{L}+(?:é|amos|imos)|fui|dio|dieron|tocó|regal\p{L}+)(?!\p{L})`,
  `[我俺]${oneOf(LIFE_ZH)}|我们?(?:俩|家|公司|单位|学校|班|部门|小区|店|厂|宿舍|科室|村|院)|咱(?:妈|爸|家|俩|们)`,
);

/** A companion that is a program tells of tastes and friends, and says what it is. */
const OF_PROGRAM = anyOf(
  String.raw`(?<!\p{L})(?:AI|KI|IA|programmed|language model|Sprachmodell|modelo de lenguaje)` +
    String.raw`(?!\p{L})`,
  '人工智能|语言模型|程序',
);

/** Whether a passage tells something of its speaker's own life. */
export function tellsOwnLife(text: string): boolean {
  const read = text.slice(0, UNITS_MAX);
  return TELLS.test(read) && !OF_PROGRAM.test(read);
}

/** Somebody who is spoken to. */
const YOU = anyOf(
  String.raw`(?<![\p{L}'’])(?:you|yours?|you['’](?:re|ve|d|ll))(?!\p{L})`,
  String.raw`(?<!\p{L})(?:du|dir|dich|deine?[mnrs]?|tú|tus?|te|ti|contigo|tuy[oa]s?|vos)(?!\p{L})`,
  '[你您]',
);
/** Requests, questions about what the other one did, thinks or can do, and what is quoted. */
const OF_TASKS = anyOf(
  String.raw`(?<!\p{L})(?:did|have|had|can|could|would|will|should|do)(?:n?['’]t)? (?:not )?you|` +
    String.raw`are you (?:sure|able|done|using)|` +
    String.raw`you (?:think|mean|suggest|recommend|help|know|tell|give|explain|write|make|say)`,
  String.raw`(?:hast|kannst|könntest|würdest|meinst|weißt|denkst|glaubst|machst|schreibst) du`,
  String.raw`(?<!\p{L})(?:has \p{L}+do|puedes|podrías)(?!\p{L})`,
  '["“„«「]|[帮给]|[你您](?:能|可以|会|觉得|说|知道|看|有没有|认为|建议)',
);
const QUESTION_MARK = /[?？]/u;
const SENTENCE_END = /(?<=[.!?。！？\n])/u;

/** Whether a passage asks the other one about him or her, as people ask each other. */
export function asksAboutOther(text: string): boolean {
  const read = text.slice(0, UNITS_MAX);
  if (!QUESTION_MARK.test(read)) return false;
  const asked = read.split(SENTENCE_END).filter((each) => QUESTION_MARK.test(each));
  return asked.some((each) => YOU.test(each) && !OF_TASKS.test(each));
}

/** Code, files and what is done with them; `I ran the tests` tells of no life. */
const OF_SOFTWARE = anyOf(
  '`',
  String.raw`[\w/-]\.(?:tsx?|jsx?|py|go|rs|java|rb|md|json|ya?ml|toml|csv|pdf|png|svg|sql|sh|txt|` +
    String.raw`xlsx|docx|html|css)(?!\w)`,
  String.raw`(?<!\p{L})(?:pull requests?|commits?|committed|repo(?:sitory)?|refactor\p{L}*|` +
    String.raw`stack ?traces?|endpoints?|linter|deploy(?:ed|ment)|(?:unit|smoke) tests?|` +
    String.raw`(?:all|the) tests pass\p{L}*|changelog)(?!\p{L})`,
);

/** Whether a passage is about software. */
export function isOfSoftware(text: string): boolean {
  return OF_SOFTWARE.test(text.slice(0, UNITS_MAX));
}

/**
 * The turns of an assistant and how many of them tell of an own life; the turns of the user, and
 * how many of them ask the assistant about itself.
 */
export interface AssistantTurns {
  readonly turns: number;
  readonly ofOwnLife: number;
  readonly userTurns: number;
  readonly asking: number;
}

/** How often, with people and with programs. */
const SHARES = {
  ofOwnLife: { person: 0.3, program: 0.03 },
  asking: { person: 0.1, program: 0.02 },
};
/**
 * Turns of each kind that all sessions need. A program that drafts, translates or reports its work
 * tells much in the first person, but nobody asks it how it is.
 */
const TURNS_MIN = { ofOwnLife: 3, asking: 2 };
/** The share of sessions with a person at first, if all sessions together look like it or not. */
const PRIOR = { likely: 0.9, unlikely: 0.1 };
/** Sessions of the usual share that the share of sessions with a person is smoothed with. */
const USUAL = { sessions: 1, share: 0.3 };
const PRIOR_LIMITS = { least: 0.02, most: 0.98 };
const ROUNDS = 10;

/**
 * Returns, by session, whether its assistant is a person. One user may talk with a program in one
 * app and with a friend in another, so the share of sessions with a person is estimated, and each
 * session is judged by it and by its own turns (a mixture of two kinds, by expectation and
 * maximization).
 */
export function assistantsWhoArePeople(sessions: readonly AssistantTurns[]): readonly boolean[] {
  const sum = (of: keyof typeof TURNS_MIN) =>
    sessions.reduce((all, session) => all + session[of], 0);
  const isShown = sum('ofOwnLife') >= TURNS_MIN.ofOwnLife && sum('asking') >= TURNS_MIN.asking;
  if (!isShown) return sessions.map(() => false);
  const known = sessions.filter(({ turns }) => turns > 0);
  const logits = known.map(logitOf);
  const isLikely = logits.reduce((all, logit) => all + logit, 0) > 0;
  let prior = isLikely ? PRIOR.likely : PRIOR.unlikely;
  for (let round = 0; round < ROUNDS; round += 1) {
    const odds = prior / (1 - prior);
    const people = logits.reduce((all, logit) => all + 1 / (1 + Math.exp(-logit) / odds), 0);
    const share = (people + USUAL.sessions * USUAL.share) / (known.length + USUAL.sessions);
    prior = Math.min(PRIOR_LIMITS.most, Math.max(PRIOR_LIMITS.least, share));
  }
  const least = -Math.log(prior / (1 - prior));
  return sessions.map((session) => session.turns > 0 && logitOf(session) >= least);
}

function logitOf({ turns, ofOwnLife, userTurns, asking }: AssistantTurns): number {
  const { ofOwnLife: life, asking: asked } = SHARES;
  return logRatio(ofOwnLife, turns, life) + logRatio(asking, userTurns, asked);
}

/** Returns how much likelier so many of some turns are with a person, as a logarithm. */
function logRatio(
  some: number,
  all: number,
  { person, program }: { readonly person: number; readonly program: number },
): number {
  const others = Math.log((1 - person) / (1 - program));
  return some * Math.log(person / program) + (all - some) * others;
}
