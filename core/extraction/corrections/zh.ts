/** How people say in Chinese that something no longer holds. */
import { oneOf } from '../../text/pattern.ts';
import { byWord, wordSet } from '../../text/word-lists.ts';
import { correctionMaker, RULE_OPTIONS, type CorrectionBook } from '../correction-book.ts';
import { IN_PASSING } from './medicines-and-events.ts';

const STOP = '[，,。；;！!？?、…（）()\\s]';
const HABIT = '工作|上班|学|打|踢|练|吃|喝|抽|用|上|读|教|看|做|玩|任职|会员|是|在|开户|当';
const POSSESS = '有|养|开|骑|买|是';
const USE = '用|是|在|开|跟|和';
const KIN = `
  爸, 妈, 父, 母, 哥, 弟, 姐, 妹, 太太, 老婆, 老公, 丈夫, 妻子, 儿子, 女儿, 朋友, 同事, 表, 堂, 男朋友,
  女朋友, 室友
`;
const PURSUIT = '准备|备考|在(?:考|学|读|看|写|办|等)|排队|申请';
/** Names somebody who does something for the speaker, such as a boss or a doctor. */
const SERVES = `的?${oneOf('主管, 老板, 经理, 领导, 医生, 老师, 教练, 阿姨, 保姆, 会计, 律师, 组长')}(?:是|叫)`;
const CHILD = oneOf('孩子, 小孩, 儿子, 女儿, 闺女');
const ELDER = oneOf('奶奶, 爷爷, 外婆, 外公, 爸妈, 父母, 爸爸?, 妈妈?, 岳父, 岳母, 公公, 婆婆');
const COUNT = '[\\d一二三四五六七八九十百]+(?<who>公斤|斤|厘米|米|岁)';
const COMMUTE = '(?:骑车|走路|开车|坐.{1,4}|打车)(?:去)?上班';

/** How people say with whom an appointment is, as group `who`. */
const APPOINTMENTS = [
  '^(?=.*(?:\\d|周|星期))(?:.*[，,。；;])?(?:我的?)?(?<who>\\p{Script=Han}{2,4}?)的?预约',
  '^(?=.*(?:\\d|周|星期)).*?(?:约了?|看)(?<who>牙医|医生|理发师|兽医|律师)',
];

const { pattern, gone, state, stateOf } = correctionMaker({
  I:
    '(?:^|[，,。；;])(?:我们?|用户|(?<who>我?(?:儿子|女儿|老婆|老公|太太|[小老]\\p{Script=Han})))' +
    '(?:已经|刚刚?|最近|[今昨]天|上个?月|今年|终于)*',
  GONE: '(?<gone>[^，,。；;！!？?、…（）()了]{1,12}?)',
  START: '(?:^|[，,。；;])',
  THING: '(?<gone>\\p{Script=Han}{2,6}?)',
  END: `(?=了?(?:${STOP}|$))`,
  ITS: '(?:^|[，,。；;])(?:我们?的?|这个?|那个?)?',
  NAME: '(?<who>\\p{Script=Han}{2,3}?)',
  THAT: '(?:那辆|那台|我的)?',
  TO: '(?:到了?|至|在|为|成了?)(?<value>[^，,。；;！!？?、了]{1,15})',
  CUT: oneOf(`
    砍, 降, 涨, 减, 增, 加, 提高, 提升, 改, 延期?, 推迟?, 顺延, 提前, 挪, 搬, 调整?, 缩减, 削减, 升级?, 换, 定, 延长
  `),
});

export const ZH_CORRECTIONS: CorrectionBook = {
  gone: [
    gone('{I}从{GONE}(?:离职|辞职|退出|毕业|跳槽)', HABIT),
    gone('{I}(?:离开|辞去|退出|戒掉?了?|放弃了|停了){GONE}{END}', HABIT),
    gone('{I}(?:不再|不|戒|放弃|停止)(?:去|用)?{GONE}了', HABIT),
    gone('{I}把{THAT}{GONE}(?:卖|扔|送|丢|处理)(?:掉)?了', POSSESS),
    gone('{I}(?:卖掉?了?){THAT}{GONE}{END}', POSSESS),
    gone('(?:我的|我们的|我家的?)(?<gone>\\p{Script=Han}{1,4}?)(?:去世|死|走丢|过世)了', POSSESS),
    gone(
      '{START}{THING}(?:已经|昨天|前天|上个?[周月]|上?星期.|去年|突然|不幸)*(?:去世|死|走丢|过世)了',
      POSSESS,
    ),
    gone('{I}把{GONE}(?:的(?:账户|会员|合同))?(?:注销|取消|退|停)(?:掉)?了', HABIT),
    gone('{I}(?:把|从){GONE}(?:换|改|迁移?|升级|替换|切换|转)(?:成|到|为|用)', USE),
    gone(
      '(?:接替|取代|代替|顶替|接手)(?<gone>\\p{Script=Han}{2,4}?)(?:当|做|成为|担任|的)',
      USE,
      RULE_OPTIONS.anybody,
    ),
    gone('(?:而不是|不是|而非)(?:在)?{GONE}{END}', '', RULE_OPTIONS.replaced),
    gone('^(?:别提|忘了|忘掉|别管|别用){GONE}(?:了|吧)?[，,。！]', '', RULE_OPTIONS.replaced),
    gone(
      `{START}{THING}(?:都|已经)*(?:吃灰|落灰|闲置|荒废|跑路|倒闭|关张|(?:关门|停业)了)`,
      `${HABIT}|办`,
    ),
    gone(
      '{START}(?:我的)?{THING}(?:让我|被我|我)?(?:已经|早就|刚|上个?月|去年)*(?:卖|送|转|捐)(?:给.{1,6}|掉)?了',
      POSSESS,
    ),
    gone('{START}{THING}(?:已经|最后|我)*(?:放弃|不去|不学|不练|不上|不做)了', `${HABIT}|去`),
    gone('{START}{THING}.{0,4}没再(?:碰|练|打|去|用|学)', HABIT),
    gone(
      '{START}(?:我的)?{THING}(?:总算|终于|已经|刚)*(?:考|读|看|写|学|修|办)(?:完|过|好)了',
      PURSUIT,
    ),
    gone('{I}(?:考完|考过|通过|读完|看完|写完|学完|办好|拿到)了?{GONE}{END}', PURSUIT),
    gone(
      '{START}(?:我的)?{THING}(?:摔坏|摔碎|坏掉?|报废|进水|丢|被偷)了.*(?:换|买)了?一?[台部个辆]',
      POSSESS,
    ),
    gone(
      '{START}{THING}(?:已经|上个?月|去年|刚)*(?:调走|调到|调去|退休|离职|辞职|跳槽)',
      SERVES,
      RULE_OPTIONS.anybody,
    ),
    gone(
      '(?:{START}|我)(?:和|跟)(?<gone>\\p{Script=Han}{2,4}?)(?:已经|早就|[年月][初底]|去年|上个?月|就)*' +
        '(?:分手|离婚|分开|掰|吹)',
      '男朋友|女朋友|对象|结婚|老公|老婆|在一起|恋爱|交往',
      RULE_OPTIONS.kin,
    ),
    ...IN_PASSING.zh.gone,
  ],
  set: [
    pattern(
      '{ITS}(?<thing>\\p{Script=Han}{2,6}?)(?:已经|被|又|现在|也)?' +
        '(?:医生|房东|公司|学校|老师|领导|老板|客户|对方)?(?:给我|帮我)?{CUT}{TO}',
    ),
    pattern('把(?:我们?的?)?(?<thing>\\p{Script=Han}{2,6}?){CUT}{TO}'),
    pattern('(?:我们?的?)新(?<thing>\\p{Script=Han}{2,5}?)(?:现在)?(?:是|叫|为)'),
    pattern(
      '我们?(?:又|刚|最近)?(?:换|有)了?(?:个|一个|位|一位)?新?' +
        `(?<thing>${oneOf('老板, 房东, 医生, 经理, 主管, 号码, 电话, 地址, 邮箱, 工作')})了?`,
    ),
  ],
  states: [
    // 没有发生的变动。
    state(
      '(?:^|[，,])(?:其实|最后)?我?们?(?:其实|最后|根本|并)*没有?(?:真的?)?搬(?:家|走)?(?=[啊啦呢。，,！!]|$)',
      '^我们?.{0,6}搬[到去进]',
      RULE_OPTIONS.certain,
    ),
    state(
      '(?:^|[，,])(?:其实|最后)?我?(?:其实|最后|根本|并)*没有?(?:真的?)?(?:换工作|跳槽)(?=[啊啦呢。，,！!]|$)',
      '^我.{0,6}(?:跳槽|换|转)[到去].',
      RULE_OPTIONS.certain,
    ),
    state(
      '{START}(?<who>我(?!们)|我?(?:儿子|女儿))?(?:今天|刚|已经|昨天)*(?:满|到)?(?<value>\\d{1,3})岁(?:了|生日)',
      '^(?<who>我(?!们)|我?(?:儿子|女儿))(?:今年|现在)?(?<value>\\d{1,3})岁[。！]?$',
    ),
    state(
      '(?:^|[，,])(?:我家|我们家?|咱家)老[二三四五].{0,6}出生了',
      '^我(?:们|家|们家)?有.{1,4}孩子',
    ),
    state(
      '{ITS}(?<who>\\p{Script=Han}{2,5}?)(?:已经|终于)?(?:修好|恢复|能用)了',
      '{ITS}(?<who>\\p{Script=Han}{2,5}?)(?:坏|出故障|不能用)',
    ),
    state(`我(?:已经|现在)?(?:瘦|胖|减|降|涨|长)到${COUNT}`, `^我.{0,3}?${COUNT}`),
    state(
      '(?:^|[，,]){NAME}(?:已经|上个?月)?搬(?:走|出去)了',
      '我(?:和|跟){NAME}(?:合租|同住|一起住|住在一起)',
    ),
    state('我(?:.{0,4})?(?:结婚|订婚|领证)了', '^我(?:还)?(?:是)?(?:单身|未婚|离异)'),
    state('我(?:又|重新)(?:开始)?吃(?:肉|荤|鱼)', '^我(?:是)?(?:吃素|素食|纯素|不吃)'),
    state(
      `{START}(?:我们?家?的?)?(?<who>${CHILD}).{0,8}(?:转学?[到去]|换到)`,
      `^(?:我们?家?的?)?(?<who>${CHILD}).{0,4}在.+(?:读书|上学|念书)`,
    ),
    state(
      `{START}(?:我们?的?)?(?<who>${ELDER}).{0,8}(?:接[到来去]|搬[到去进来]|住进)`,
      `^(?:我们?的?)?(?<who>${ELDER}).{0,4}住在`,
    ),
    state('我(?:已经)?戒烟了|我不抽烟了', '^我(?:每天)?抽烟'),
    state(`我(?:现在|改成|改)${COMMUTE}`, `^我${COMMUTE}`),
    ...APPOINTMENTS.map((older) =>
      state(
        '{START}(?:我的)?(?<who>\\p{Script=Han}{2,4}?)(?:又|已经|刚)?(?:把|将)?(?:我们?的?)?' +
          '(?:预约|时间|号)?(?:又|给我|帮我)?(?:改|推迟|推|提前|挪|换|延)[到至在]了?' +
          '(?<value>\\d{1,2}月\\d{1,2}|\\d{1,2}(?=[号日])|(?:周|星期)[一二三四五六日天])',
        older,
        RULE_OPTIONS.certain,
      ),
    ),
    stateOf(
      'residence',
      '^搬[到来](?<value>\\p{Script=Han}{2,6}?)(?:以后|之后|后)' +
        '(?![，,]?我?们?(?:[要想再得会就]|打算|准备|一定))',
    ),
    state('我的?过敏原?(?:测试|检测|检查)(?!.*不是).*阴性', '^我.*过敏', RULE_OPTIONS.inPart),
    ...IN_PASSING.zh.states,
  ],
  own: /^(?:我|用户)/u,
  kin: new RegExp(`^我们?的?${oneOf(KIN)}`, 'u'),
  determiner: /^(?:对了，)?(?:我们?的?)?/u,
  verb: /^[每是在有定改起开为共要已推姓叫\d一二两三四五六七八九十百]/u,
  bare: /^(?=(?:终于|总算|已经|早就|最近|刚)?(?:把|卖|辞|戒|退出|不再))/u,
  amount: /(?!)/u,
  // Also what somebody else found out about the speaker.
  opening: new RegExp(
    '^(?:(?:更正|计划有变|有变动)[:：，]|其实|不对，|我?(?:只是)?开个?玩笑的?[，,。！!]|' +
      '[^，。！？我]{1,8}(?:说|告诉我|显示|表明|确认)，?(?=我))',
    'u',
  ),
  addition: /也|还|另外/u,
  now: /今天(?=满?\d+岁)|现在|如今|目前|不再|改成|改为|最后|其实|(?<=不.{1,8})了(?=[。！!]?$)/gu,
  slots: wordSet('在 是 叫 开 到'),
  negated: /不|没|别|戒/u,
  negation: wordSet('不 再 了'),
  generic: wordSet(''),
  certain: new RegExp(
    oneOf(`
      卖, 离职, 辞职, 退出, 跳槽, 辞去, 戒, 放弃, 不再, 去世, 死, 走丢, 过世, 注销, 取消, 退, 停, 换, 改, 迁移,
      升级, 替换, 切换, 转, 接替, 取代, 代替, 分手, 离婚, 修好, 结婚, 订婚, 领证, 搬走, 搬出去, 吃, 不.+了
    `),
    'u',
  ),
  doubt:
    /前|时候|之后|没|别|又|也|还|另|再(?!也)|他|她|你|第[一二三]|旧|老(?:的|车|房|手)|小时候|[12]\d{3}年|帮|替(?!换)/u,
  indefinite: /一[个辆台只]/u,
  narrower: /(?!)/u,
  several: /[，,、和]|以及|两|三[个辆只台]|还有|也/u,
  beside: /^[跟给对的从]$/u,
  things: byWord({
    '号 码': '电 话 号 码, 手 机 号, 手 机 号 码, 电 话',
    '理 发': '理 发 师',
  }),
};
