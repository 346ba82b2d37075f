/**
 * Reads the values that a plain Chinese sentence gives (restated-value.ts). Chinese is written
 * without spaces, so the characters around a number identify what has that value.
 */
const NUMERALS = '一二三四五六七八九十百千万两零半';
const COUNTED = '张只条个位名家辆本台套件双';
const PARTS_OF_DAY = '上午|下午|早上|晚上|中午';
const UNITS = `[年月日号点分时块元角万千百半]|星期|周|${PARTS_OF_DAY}|毫克|公斤|斤|小时|分钟`;
const AMOUNT = new RegExp(
  String.raw`(?:\d[\d.:：%]*|[${NUMERALS}]+(?![${COUNTED}]))(?:${UNITS}|[${NUMERALS}\d])*`,
  'gu',
);
const DAY = new RegExp(
  String.raw`(?:${PARTS_OF_DAY})?(?:星期|周|礼拜)[一二三四五六日天](?:${PARTS_OF_DAY})?` +
    String.raw`(?:[${NUMERALS}\d]+点半?)?`,
  'gu',
);
/** Characters that do not distinguish sentences. */
const PLAIN = /[我们的在是为于定每个一现目前就都把给\s]/gu;
/** Marks a past event, whose number never changes. */
const HAPPENED = /了|过/u;
const NO_STATE = /[不没]|今天|明天|昨天|这周|这个月|本周|过$/u;

/** What people have one of at a time; the name of a group is its topic. */
const ONE_OF = [
  String.raw`住在?(?<home>.{2,14})`,
  String.raw`在(?:一家)?(?<work>.{2,12}?)(?:上班|工作|任职|当.{1,6}|做.{1,6})`,
  String.raw`在(?<team>.{1,8}[组部队])(?:工作)?`,
  String.raw`在(?<course>.{1,8}班)(?:上课)?`,
  String.raw`上(?<shift>.{1,4}班)`,
  String.raw`正?在[看读追](?<read>《?.{2,16})`,
  String.raw`(?:平时)?开(?![了过始会心完学门店车玩着])的?(?:是|一辆)?(?<drive>.{2,12})`,
];
const NOW = '(?:现在|目前)?';
const SAID_OF_ONESELF = new RegExp(`^(?:我们?|咱们?)?${NOW}(?:${ONE_OF.join('|')})$`, 'u');
const USED = new RegExp(
  `^(?:我们?|咱们?)?${NOW}用的?是?(?<value>.{2,12}?)(?:当|做|作为)(?<use>.{2,8})$`,
  'u',
);
/** Where a thing is kept. */
const KEPT =
  /^(?:我们?|咱们?)?的?(?<thing>\p{Script=Han}{2,8})(?<how>[放养停挂存摆])在(?<value>.{1,12})$/u;
const IS = '(?:是|叫做?(?![我他她你])|名叫|改成|设为)';
const NAMED = new RegExp(
  String.raw`^(?:我们?|咱们?)?的?(?<thing>[\p{Script=Han}\p{L}]{2,12}?)${NOW}${IS}` +
    `(?:一[${COUNTED}])?(?<value>.{1,20})$`,
  'u',
);
/** What people have several of, or what is no thing. */
const SEVERAL =
  /(?:朋友|同学|同事|哥|弟|姐|妹|儿子|女儿|孩子|猫|狗|问题|一个|客户|邻居)$|这|那|今年|想|觉得|最近|特/u;

/** Returns the values of a Chinese sentence by their topics. */
export function restatedInChinese(said: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  if (NO_STATE.test(said)) return values;
  const [frame, amount] = amountIn(said);
  if (frame !== '') values.set(`amount/${frame}`, amount);
  for (const [topic, value] of Object.entries(SAID_OF_ONESELF.exec(said)?.groups ?? {})) {
    if (value !== undefined) values.set(`zh/${topic}`, value);
  }
  const { use = '', value: used = '' } = USED.exec(said)?.groups ?? {};
  if (use !== '') values.set(`zh/use/${use}`, used);
  const kept = KEPT.exec(said)?.groups;
  if (kept !== undefined)
    values.set(`zh/${kept['how'] ?? ''}/${kept['thing'] ?? ''}`, kept['value'] ?? '');
  const { thing = '', value = '' } = NAMED.exec(said)?.groups ?? {};
  // `是红的` describes a thing and does not name it.
  if (thing !== '' && !SEVERAL.test(thing) && !value.endsWith('的')) {
    values.set(`zh/named/${thing.replaceAll('的', '')}`, value);
  }
  return values;
}

/** Returns the only amount, and the sorted characters around it; empty if there are several. */
function amountIn(said: string): readonly [frame: string, amount: string] {
  const days = [...said.matchAll(DAY)];
  const all = [...days, ...said.replaceAll(DAY, '').matchAll(AMOUNT)].map(([found]) => found);
  // In `一碗15块`, `一` only means one bowl.
  const [amount = '', ...others] = all.length > 1 ? all.filter((each) => each !== '一') : all;
  if (amount === '' || others.length > 0 || HAPPENED.test(said)) return ['', ''];
  const left = said.replace(amount, '').replaceAll(PLAIN, '');
  return left.length > 1 ? [left.split('').toSorted().join(''), amount] : ['', ''];
}
