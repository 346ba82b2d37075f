/** Rules of extraction for Chinese. */
import { namesOf, personsOf, ruleMakers, type RuleBook } from '../rule.ts';
import { SURNAMES } from '../../text/chinese-surnames.ts';
import { byWord } from '../../text/word-lists.ts';

/** People who serve or lead the speaker, one of each: `李娜是我的老板`. */
const SERVING = byWord({
  manager: '经理, 老板, 主管, 领导',
  accountant: '会计',
  lawyer: '律师',
  dentist: '牙医',
  doctor: '医生',
  landlord: '房东',
});
const OWN = new Map([
  ...SERVING,
  ...byWord({
    birthday: '生日',
    phone: '手机号码, 手机号, 电话号码, 电话',
    email: '邮箱地址, 邮箱',
    address: '地址',
    budget: '预算',
    language: '母语',
    car: '车',
  }),
]);
const PETS = byWord({
  dog: '小狗, 狗',
  cat: '小猫, 猫',
  horse: '马',
  rabbit: '兔子',
  hamster: '仓鼠',
  parrot: '鹦鹉',
});
export const KIN = byWord({
  daughter: '女儿',
  son: '儿子',
  sister: '姐姐, 妹妹',
  brother: '哥哥, 弟弟',
  grandson: '孙子',
  granddaughter: '孙女',
});
/** People and things with a name, of which the speaker has one at a time. */
const NAMED = new Map([
  ...OWN,
  ...byWord({
    girlfriend: '女朋友',
    boyfriend: '男朋友',
    fiancé: '未婚妻, 未婚夫',
    mother: '妈妈',
    father: '爸爸',
    spouse: '老公, 丈夫, 老婆, 妻子',
  }),
]);
export const EVENTS = byWord({
  launch: '发布会, 发布, 上线',
  deadline: '截止日期, 截止时间',
  meeting: '会议',
  demo: '演示',
  review: '评审',
  'dentist appointment': '牙医预约',
  appointment: '预约',
  surgery: '手术',
  exam: '考试',
  interview: '面试',
  flight: '航班',
  wedding: '婚礼',
  party: '聚会',
});
const STOPS = '[，,。；;！!？?、…（）()\\s]';

export const JOBS =
  '(?:护士|医生|老师|教师|工程师|程序员|设计师|律师|建筑师|学生|会计|记者|翻译|电工|木匠|厨师|' +
  '摄影师|音乐家|顾问|兽医|药剂师|产品经理|分析师|研究员|司机|园丁|警察)';

const rule = ruleMakers({
  STANDING: '(?:以后|今后|从今以后|从今往后|往后|从现在起|从现在开始|从今天起|每次)',
  /** What users ask an assistant to do; a word of `STANDING` before it makes it permanent. */
  ASKED:
    '(?:请|麻烦)?你?(?:都|只|一律|尽量|要)*(?:别|不要|不用|不许|务必)?(?:再|都|只)*(?:用|使用|叫我|' +
    '称呼我|回答|回复|答复|解释|推荐|跟我|和我|给我|对我|加|保持|简短|详细|直接)',
  /** What only an assistant does, so that no word of `STANDING` is needed. */
  ANSWERED: '(?:都)?(?:[用以].{1,8}(?:回答|回复|跟我)|叫我|称呼我)',
  PET: namesOf(PETS),
  KIN: namesOf(KIN),
  HOME: String.raw`(?<value>[\p{Script=Han}A-Za-z\d·]{2,30}?)(?=了|[，,。；;！!？?、…（）()\s]|$)`,
  PLANNED: String.raw`(?<value>[^，,。；;！!？?、…（）()\s]{2,30}?)`,
  NAME: String.raw`(?![我你他她它了个得着一来去醒住停人起大])(?<value>[\p{Script=Han}A-Za-z·]{1,8}?)`,
  END: String.raw`(?=${STOPS}|$)`,
  P: String.raw`(?<value>[\p{Script=Han}A-Za-z·]{2,12}?)(?=了|${STOPS}|$)`,
  V: String.raw`(?<value>[^，,。；;！!？?、…（）()\s]{2,30}?)(?=了?(?:${STOPS}|$))`,
  NOW: '(?:现在|目前|已经|如今|一直|还是)?',
  RECENTLY:
    '(?:最近|刚刚?|前(?:天|几天|阵子|段时间)|[今昨]天|上个?(?:月|周末?|星期|礼拜)|今年|去年|前年|[年月][初底]|已经|终于)*',
  DATE:
    String.raw`(?:\d{4}年)?(?:\d{1,2}|[一二三四五六七八九十]{1,3})月(?:\d{1,2}|[一二三四五六七八九十]{1,3})` +
    String.raw`[日号]?|(?:这|下)?(?:周|星期)[一二三四五六日天]`,
  OWN: namesOf(OWN),
  SERVING: namesOf(SERVING),
  NAMED: namesOf(NAMED),
  WHO: namesOf(personsOf(NAMED)),
  TOWN: '(?<value>(?![他她它你爸妈爷奶公婆叔舅姑姨姐妹哥弟儿女朋同老表堂家])\\p{Script=Han}{2,6}?)',
  PERSON:
    `(?<value>[小阿老${SURNAMES}]\\p{Script=Han}{1,2}?)` +
    '(?=[要说很不是让叫给想会对把在今昨也都人特挺真吃去来做和跟的喜爱有，,。！]|$)',
  EVENT: namesOf(EVENTS),
  JOB: JOBS,
});

export const ZH: RuleBook = {
  rules: [
    rule.age(
      String.raw`(?<!\p{Script=Han})我们?(?:的|家)?(?:的)?(?<thing>{KIN})` +
        String.raw`(?:今年|现在|已经|都)*(?:刚?满)?(?<value>(?:\d{1,2}|[一二三四五六七八九十]{1,3})岁)`,
    ),
    // `我姐姐搬家了，现在住在…` is about somebody else.
    rule.residence(
      String.raw`^(?:我们?家?|咱们?家?)?{RECENTLY}(?:搬了?家|搬)了?[，,。]?` +
        String.raw`(?:我们?)?(?:(?:现在|如今)*(?:住在|住(?!在)|搬到)|新家(?:现在)?在)(?!酒店|宾馆|旅馆|朋友|亲戚|爸妈|父母){HOME}`,
    ),
    rule.residence(String.raw`^(?:我们|咱们)(?:一?家)?{NOW}住在{HOME}`),
    rule.residence(
      String.raw`^我们?家{NOW}[住在]在?(?![我他她你它哪那这]|家|医院|公司|附近|旁边){HOME}`,
    ),
    rule.employer(
      String.raw`^我?{RECENTLY}(?:跳槽|换了?(?:新|个|份)*(?:工作|公司|单位))了?[，,。]?` +
        String.raw`(?:我)?(?:现在|目前|如今)?(?:在|去了|加入了?)(?!家)` +
        String.raw`(?<value>[^，,。；;！!？?、\s]{2,20}?)(?:工作|上班|任职|[做当]{JOB})了?{END}`,
    ),
    rule.shift(
      String.raw`^我(?:(?:现在|如今)上|(?:现在|最近|已经)?[改换调转](?:成|到|为|上)*了?)` +
        String.raw`(?<value>[夜白早中晚]班)了?{END}`,
    ),
    rule.only(String.raw`^我?(?:现在|如今)只(?<thing>[喝吃穿用买看抽])(?!了){V}`),
    rule.formerResidence(String.raw`(?<!\p{Script=Han})我(?:已经)?不(?:再)?住在?{P}`),
    rule.residence(String.raw`(?<![姐妹哥弟友公婆妈爸和跟])我{NOW}(?:住在|定居在|定居){HOME}`),
    rule.residence(
      String.raw`我(?:们)?{NOW}{RECENTLY}(?:从(?<old>\p{Script=Han}{2,8}?))?搬(?:到|去|家到){P}`,
    ),
    rule.employer(
      String.raw`(?<!\p{Script=Han})我{RECENTLY}去了(?!医院|家|公司|单位|办公室)` +
        String.raw`(?<value>[^，,。；;！!？?、\s]{2,20}?)(?:工作|上班|任职)了?{END}`,
    ),
    rule.formerEmployer(
      String.raw`我(?:已经)?不(?:再)?在(?<value>[^，,。；;！!？?、\s]{2,20}?)(?:工作|上班)了?{END}`,
    ),
    rule.employer(
      String.raw`(?<!\p{Script=Han})我{NOW}在(?!家)(?<value>[^，,。；;！!？?、\s]{2,20}?)(?:工作|上班){END}`,
    ),
    rule.name(
      String.raw`(?<!\p{Script=Han})我(?:的名字)?叫(?!外卖|车|人|救护)(?<value>\p{Script=Han}{2,4}){END}`,
    ),
    rule.noAllergy(
      String.raw`(?<!\p{Script=Han})我对(?<value>[^，,。；;！!？?、\s]{1,12}?)不(?:再)?过敏`,
    ),
    rule.allergy(
      String.raw`(?<!\p{Script=Han})我(?:自己)?对(?<value>[^，,。；;！!？?、\s]{1,12}?)过敏`,
    ),
    rule.allergy(
      String.raw`(?<!\p{Script=Han})我有(?<value>[^，,。；;！!？?、\s没]{1,12}?)(?:过敏|不耐受)`,
    ),
    rule.formerDiet(String.raw`我不(?:再)?(?<value>吃素)了?`),
    rule.diet(String.raw`(?<!\p{Script=Han})我{NOW}(?:是)?(?<value>吃素|素食者|纯素)`),
    rule.job(
      String.raw`(?<!\p{Script=Han})我{NOW}是(?:一?[名个位])?(?<value>(?:\p{Script=Han}{0,4})` +
        String.raw`?{JOB}){END}`,
    ),
    rule.dislike(
      String.raw`(?<!\p{Script=Han})我(?:很|最|真的)?(?:不喜欢|讨厌|不爱|从不[吃喝]|从来不[吃喝]|不[吃喝]){V}`,
    ),
    rule.like(
      String.raw`(?<!\p{Script=Han})我(?:很|最|更|特别|非常|一直)?(?:喜欢|偏好|爱[吃喝]|习惯){V}`,
    ),
    rule.figure(
      String.raw`(?:^|[，,])我们?的?(?<thing>预算|目标|日薪|时薪|月薪|工资|薪水|指标|房租|租金|房贷|月供)` +
        String.raw`(?:现在)?是(?<value>(?:\d|[一二三四五六七八九十两百千万])[^，,。；;！!？?\s]{0,15}){END}`,
    ),
    rule.instruction(
      String.raw`^(?:(?:请|麻烦)?你?{STANDING}[，,]?你?|(?:请|麻烦)你?(?:一直|永远|总是|始终)|` +
        String.raw`(?:一直|永远|总是|始终)(?={ANSWERED})|请?(?:千万别|永远不要))` +
        String.raw`(?<value>{ASKED}(?!.{0,4}[这那][个些样])[^？?]{1,60})`,
    ),
    rule.decisionAgainst(
      String.raw`我们(?:已经)?(?:最后|最终)?(?:决定|商定|说好|定了)(?:了)?[，,]?(?:不(?!了)|别|不再|放弃|停止|停)(?:再)?` +
        String.raw`(?:使用|采用|用)?(?!.?[这那])(?![去来]了?$){PLANNED}(?=了?(?:[，,。；;！!]|$))`,
    ),
    rule.decisionAgainst(
      String.raw`我们(?:已经)?(?:放弃|取消|否决|搁置)了?(?:使用|采用|用)?{PLANNED}的?(?:计划|方案|想法|提议)了?{END}`,
    ),
    rule.decision(
      String.raw`我们(?:已经)?(?:决定|商定|说好|定了)(?:了)?[，,]?(?:使用|采用|` +
        String.raw`用)?(?!不了)(?<value>[^。；;！!？?]{2,60}?)(?` +
        String.raw`=[。；;！!]|$)`,
    ),
    rule.decision(
      String.raw`我们(?:现在)?(?:改用|改成)(?<value>[^，,。；;！!？?]{2,30}?)[，,]不(?:再)?用(?<old>[^，,。；;！!？` +
        String.raw`?了]{2,30})`,
    ),
    rule.owner(
      String.raw`^(?<value>\p{Script=Han}{2,4}?)(?:现在)?负责(?<thing>[^，,。；;！!？?]{2,20}){END}`,
    ),
    rule.owner(
      String.raw`^(?![他她它你我谁这那])(?<value>\p{Script=Han}{2,3}?)(?:已经|刚)?` +
        String.raw`(?:从(?<old>\p{Script=Han}{2,3}?)` +
        String.raw`(?:手[里上中]|那[里儿]))?(?:接手|接管)了?(?<thing>[^，,。；;！!？?了]{2,20}){END}`,
    ),
    rule.owner(
      String.raw`^(?<thing>[^，,。；;！!？?]{2,20}?)(?:现在|如今|改)(?:改?由)?` +
        String.raw`(?<value>\p{Script=Han}{2,3})负责了?{END}`,
    ),
    rule.birthday(
      String.raw`我的?(?<thing>\p{Script=Han}{1,4}?)的?生日是(?<value>\d{1,2}月\d{1,2}[日号]?)`,
    ),
    rule.timeOff(
      String.raw`^我(?<value>\d{1,2}月\d{1,2}[日号]?[到至][\d月日号]{2,7})(?:休假|请假|放假|不在)`,
    ),
    rule.responsible('^我{NOW}负责{V}'),
    rule.date(
      String.raw`(?<thing>{EVENT})(?:现在)?(?:是|在|定在|改到|改在|推迟到|提前到|安排在)(?<value>{DATE}[^，,。；;！!` +
        String.raw`？?了]{0,12})`,
    ),
    rule.theOne(
      String.raw`(?:(?<!\p{Script=Han})|(?<=(?:^|[，,])(?:现在|如今|目前)))` +
        String.raw`我的?新?(?<thing>{OWN})(?:现在)?是(?<value>(?:\d{1,2}月\d{1,2}[日号]` +
        String.raw`)|\p{Script=Han}{2,4}|[\w.+-]+@[\w.-]+|\+?[\d -]{5,}|\d[\d.,]*)` +
        String.raw`{END}`,
    ),
    rule.theOne(
      String.raw`(?<!\p{Script=Han})我的?(?:已经)?[换改]了?新?的?(?<thing>{OWN})了?[，,]?` +
        String.raw`(?:现在|新的)?(?:号码|地址)?[是为](?<value>[\w.+-]+@[\w.-]+|\+?[\d -]{5,}){END}`,
    ),
    rule.theOne(
      String.raw`(?<!\p{Script=Han})我的(?<thing>{OWN})(?:已经)?[换改变](?:成|为)了?` +
        String.raw`(?<value>[\w.+-]+@[\w.-]+|\+?[\d -]{5,})了?{END}`,
    ),
    rule.theOne(
      String.raw`(?:^|[，,])(?:现在|如今)?(?![他她它你我谁这那])(?<value>\p{Script=Han}{2,4}?)` +
        String.raw`(?:现在|如今|又|还)*(?:是|成了|当了)` +
        String.raw`我们?的?新?(?<thing>{SERVING})了?{END}`,
    ),
    rule.theOne(
      String.raw`(?<!\p{Script=Han})我(?:的|家)?(?<thing>{NAMED})` +
        String.raw`叫(?![我你他她它了醒住停人起])(?<value>\p{Script=Han}{2,6}){END}`,
    ),
    rule.oneOfSeveral(
      String.raw`(?<!\p{Script=Han})我们?(?:的|家)?(?:的)?(?<thing>{KIN}|{PET})叫{NAME}{END}`,
    ),
    rule.oneOfSeveral(
      String.raw`(?<!\p{Script=Han})我们?(?:家)?(?:最近|刚刚?)?(?:又)?(?:领养了|收养了|养了|买了|有)` +
        String.raw`一?[只个条匹](?<thing>{PET})[，,]?(?:它的?|他的?|她的?)?(?:名字[叫是]|叫做?){NAME}{END}`,
    ),
    rule.age(
      String.raw`(?<!\p{Script=Han})我们?(?:的|家)?(?:的)?(?:{KIN})` +
        String.raw`(?<thing>(?![今刚已都快马现]|\p{Script=Han}?满)\p{Script=Han}{2,4}?)` +
        String.raw`(?:今年|现在|已经)*(?:刚?满)?(?<value>(?:\d{1,2}|[一二三四五六七八九十]{1,3})岁)`,
    ),
    rule.has(
      String.raw`(?<!\p{Script=Han})我(?:家)?(?:养了|有)(?<value>[一两三四]?[只个条匹](?:狗|` +
        String.raw`猫|女儿|儿子|孩子|马|姐姐|妹妹|哥哥|弟弟))`,
    ),
    rule.teaches('(?<!\\p{Script=Han})我{NOW}在{TOWN}(?:教书|任教|当老师)'),
    rule.residenceInPassing(
      '(?:自从|自打|打从)(?:我们?|咱们?)?(?:一?家)?搬(?:到|去|来|家到)了?{TOWN}(?:以后|之后|以来|后|起|[，,])',
    ),
    rule.residenceInPassing(
      '(?<!\\p{Script=Han})我们?(?:家)?在?{TOWN}的?新(?:家|房子|公寓|住处)(?!.*(?:[想要]买|打算|装修好))',
    ),
    rule.employerInPassing(
      '自从我?(?:加入|入职|进|跳槽到|跳到)了?(?<value>[\\p{Script=Han}A-Za-z]{2,10}?)(?:工作|上班)?' +
        '(?:以后|之后|以来|后|起|[，,])',
    ),
    rule.theOneInPassing('(?<!\\p{Script=Han})我们?的?新(?:的)?(?<thing>{WHO}){PERSON}'),
    rule.employer(
      String.raw`(?<!\p{Script=Han})我{NOW}在(?!家)(?<value>[^，,。；;！!？?、\s]{2,12}?)` +
        '(?:做|当|担任|任)(?:一?[名个位])?(?:\\p{Script=Han}{0,4})?{JOB}{END}',
    ),
  ],
  notLasting: new RegExp(
    String.raw`如果|要是|假如|也许|可能|或许|应该|大概|希望|想象|假装|今天|刚才|暂时|此刻|以前|曾经|过去|哈哈|嘿嘿|` +
      String.raw`开玩笑|梦[见到]|` +
      String.raw`说我|他说|她说|据说|听说|没有?说|不是说|又不是|并不是|说[：:]|[讲问喊道][：:]|谁说|不是真的|差点|几乎|打算|考虑|想要|吗$|呢$`,
    'u',
  ),
  dayOfDeed: /(?:今天|刚才)(?=[^，,。；！]{0,40}了)/gu,
  aside: /哈哈+|嘿嘿+|说我|[他她]说|[讲问喊道][：:]|说[：:]|今天|刚才|差点|几乎/gu,
  joint: /[，,；;–—\s]+|(?<=^(?:哈|嘿)+)(?![哈嘿])/u,
  commissioned: new RegExp(
    String.raw`翻译成?|翻成|润色|改写|校对|^(?:请|帮我)*(?:总结|概括|归纳)|角色扮演|故事里|小说|剧本|梦里|` +
      String.raw`开个玩笑(?!.*没)|` +
      String.raw`^(?:请|帮我)*(?:写|起草|拟)[^。？！：:]{0,20}[：:]|` +
      String.raw`(?:帮我)?写(?:一?[封篇首个条段])[^。？！]{0,10}` +
      '(?:信|邮件|故事|诗|作文|文章|演讲|微博|朋友圈|短信|评论|文案)',
    'u',
  ),
  pointing:
    /^(?:星期|周[一二三四五六日]|第?[一二三]个|这|那|它|他|她|你|您|第[一二三]|什么|怎么|哪)/u,
  // A joke is only talk if it takes something back.
  filler: new RegExp(
    '^(?:(?:你好|您好|大家好|对了|哦|啊|嗯|好的?|顺便说一下|另外|还有|再记一下|虚惊一场|' +
      String.raw`我?(?:只是)?开个?玩笑的?(?:啦|呢)?(?=.*[没还不]))[，,。！!]\s*)+`,
    'u',
  ),
  replaced: new RegExp(
    '(?:代替|取代|替换掉?|而不是|不再用|不用|从)(?<old>[^，,。；！了换改迁到]{1,20}?)' +
      '(?=$|[，,。；！了]|换成|改成|改用|迁移?到)',
    'u',
  ),
  another: /^新的?(?!朋友|同事|邻居|狗|猫)/u,
  relative: new RegExp(
    '今天|今晚|昨天|前天|明天|后天|[上下这](?:周|个?月|星期)|去年|今年|明年|刚|' +
      String.raw`[\d一二两三四五六七八九十]+(?:天|周|个月|年)[后前]|(?:周|星期)[一二三四五六日天]`,
    'u',
  ),
  things: new Map([...PETS, ...KIN, ...NAMED, ...EVENTS]),
};
