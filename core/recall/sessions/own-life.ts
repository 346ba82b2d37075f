/**
 * Recognizes an assistant that is a person. Chats between two people are stored with one of them
 * in the role `assistant`; what that one tells of his own life counts like a user's words. An
 * assistant that is a program rarely speaks so: in 2 % of its turns, in drafts and in role play.
 */
import { anyOf, oneOf } from '../../text/pattern.ts';

/** What is read of a passage, in UTF-16 code units. */
const UNITS_MAX = 600;

/** What a program says of its own answers. */
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
    assum, kept, remov, chang, correct, updat, record, wrote, said, made, put, meant, need
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

/** The turns of an assistant, and how many of them tell of an own life. */
export interface AssistantTurns {
  readonly turns: number;
  readonly ofOwnLife: number;
}

/** From this share of the assistant's turns on, and from so many of them, it is a person. */
const PERSON = { share: 0.11, turns: 2 };
/** Turns with the usual share of a program that each share is smoothed with. */
const USUAL = { turns: 20, share: 0.05 };
/** How many turns of the session's own the share of all sessions counts for. */
const ALL_TURNS = 40;

/**
 * Returns, by session, whether its assistant is a person. One user may talk with a program in one
 * app and with a friend in another, so each session counts, beside all of them together.
 */
export function assistantsWhoArePeople(sessions: readonly AssistantTurns[]): readonly boolean[] {
  const telling = sessions.reduce((sum, { ofOwnLife }) => sum + ofOwnLife, 0);
  const all = sessions.reduce((sum, { turns }) => sum + turns, 0);
  const share = (telling + USUAL.turns * USUAL.share) / (all + USUAL.turns);
  return sessions.map(({ turns, ofOwnLife }) => {
    const own = (ofOwnLife + ALL_TURNS * share) / (turns + ALL_TURNS);
    return turns > 0 && telling >= PERSON.turns && own >= PERSON.share;
  });
}
