/**
 * Rewrites spoken amounts and times of day as figures: `half past three in the afternoon` becomes
 * 3:30 pm, `halb vier` 3:30, `media hora` 30 minutes and 下午3点半 3:30 pm.
 */
import type { Language } from './language.ts';
import { cardinalOf } from './number-word.ts';
import { oneOf } from './pattern.ts';
import { unitsOf } from './units-of-measure.ts';
import { numberByWord } from './word-lists.ts';

type Rewrite = readonly [pattern: RegExp, text: string | ((groups: Groups) => string)];
type Groups = Readonly<Record<string, string | undefined>>;

const HOUR_NAMES: Readonly<Record<Exclude<Language, 'zh'>, string>> = {
  en: 'one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve',
  de: 'eins?|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf',
  es: 'una|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce',
};
const hourIn = (language: Exclude<Language, 'zh'>): string =>
  String.raw`(?<hour>\d{1,2}|${HOUR_NAMES[language]})(?::(?<minute>\d\d))?`;

/** The half of the day that a part of the day is in; the night is in both. */
const HALVES: readonly (readonly [RegExp, 'am' | 'pm' | 'night'])[] = [
  [/^(?:in the morning|morgens|vormittags|früh|de la mañana|de la madrugada)$/u, 'am'],
  [/^(?:am vormittag|am morgen|上午|早上|早晨|清晨|凌晨)$/u, 'am'],
  [/^(?:at night|nachts|de la noche|晚上|夜里)$/u, 'night'],
  [/./u, 'pm'],
];

/** The night lasts from six in the evening to six in the morning. */
const NIGHT_HOUR = 6;
const NOON = 12;

function timeOf(hour: number, minute: number, part: string | undefined): string {
  const early = minute < 0 ? hour - 1 : hour;
  const minutes = String((minute + 60) % 60).padStart(2, '0');
  const clock = `${String(early === 0 ? NOON : early)}:${minutes}`;
  if (part === undefined || hour > NOON) return clock;
  const half = HALVES.find(([names]) => names.test(part.toLowerCase()))?.[1] ?? 'pm';
  if (half !== 'night') return `${clock} ${half}`;
  return `${clock} ${hour < NIGHT_HOUR || hour === NOON ? 'am' : 'pm'}`;
}

/** Minutes past the hour; negative ones are before it. */
const SHARES = numberByWord({
  30: 'half, media',
  '-30': 'halb',
  '-15': 'dreiviertel',
  15: 'quarter, viertel, cuarto',
});

function clock({ hour = '', minute, share, side, part }: Groups): string {
  const whole = Number.isNaN(Number(hour)) ? (cardinalOf(hour.toLowerCase()) ?? 1) : Number(hour);
  const some = share === undefined ? Number(minute ?? 0) : (SHARES.get(share.toLowerCase()) ?? 0);
  return timeOf(whole, /^(?:to|before|vor|menos)$/iu.test(side ?? '') ? -some : some, part);
}

const EN_PART = String.raw`(?: (?<part>in the (?:morning|afternoon|evening)|at night))`;
const DE_PART =
  'morgens|vormittags|mittags|nachmittags|abends|nachts|am (?:Nachmittag|Abend|Morgen)';
const ES_PART = String.raw`de la (?:mañana|tarde|noche|madrugada)`;
const ZH_PART = '上午|早上|早晨|清晨|凌晨|中午|下午|傍晚|晚上|夜里';
const START = String.raw`(?<![\p{L}\p{N}])`;
const END = String.raw`(?![\p{L}\p{N}])`;
const rule = (source: string, text: Rewrite[1]): Rewrite => [
  new RegExp(START + source + END, 'giu'),
  text,
];

const QUARTERS: Readonly<Record<Exclude<Language, 'zh'>, Rewrite>> = {
  en: rule('(?:(?<one>first)|(?<two>second)|(?<three>third)|(?<four>fourth)) quarter', quarter),
  de: rule(
    String.raw`(?:(?<one>erste\p{L}*|1\.)|(?<two>zweite\p{L}*|2\.)|(?<three>dritte\p{L}*|3\.)|` +
      String.raw`(?<four>vierte\p{L}*|4\.)) Quartal`,
    quarter,
  ),
  es: rule(
    '(?:(?<one>primer)|(?<two>segundo)|(?<three>tercer)|(?<four>cuarto)) trimestre',
    quarter,
  ),
};

function quarter({ one, two, three }: Groups): string {
  const at = [one, two, three].findIndex((each) => each !== undefined);
  return `Q${String(at < 0 ? 4 : at + 1)}`;
}

const ONCE_BEFORE = String.raw`\s*(?:[.;!?]|$)| (?:an?|per|each|every) ${oneOf(
  'hour, day, week, month, quarter, year, decade',
)}`;

/** A fraction, not a date: `1/2 hour`, while `1/2 at noon` names a day. */
const FRACTION =
  /(?<![\d.,/-])(?:(\d{1,4})[ -])?([1-7])[/⁄]([2-8])(?![\d/])(?=(?:[ -](?:of an? )?(\p{L}+))?)/gu;
const PORTIONS = new RegExp(`^${oneOf('cups?, teaspoons?, tablespoons?, tazas?, tassen?')}$`, 'iu');

/** Replaces fractions by decimals: `2 1/2` by 2.5. */
function withFractions(text: string): string {
  return text.replaceAll(
    FRACTION,
    (found, whole: string | undefined, part: string, of: string, unit: string | undefined) => {
      const isPart =
        whole !== undefined ||
        (unit !== undefined && (unitsOf(unit.toLowerCase()).length > 0 || PORTIONS.test(unit)));
      if (Number(part) >= Number(of) || !isPart) return found;
      return String(Number((Number(whole ?? 0) + Number(part) / Number(of)).toFixed(2)));
    },
  );
}

const ZH_COUNTED = oneOf('元, 块钱, 块, 美元, 欧元, 公里, 米, 次, 个, 件, 升, 公斤');
const ZH_PER = '小时|分钟|秒|天|日|人|位|名|件|台|公斤|升|公里';

const REWRITES: Readonly<Record<Language, readonly Rewrite[]>> = {
  en: [
    rule(
      String.raw`(?:a )?(?<share>half|quarter) (?<side>past|to) ${hourIn('en')}${EN_PART}?`,
      clock,
    ),
    rule(String.raw`${hourIn('en')}(?: o'clock)?${EN_PART}`, clock),
    rule('three quarters of an hour', '45 minutes'),
    rule('(?:a )?quarter of an hour', '15 minutes'),
    rule('an hour and a half', '90 minutes'),
    rule('half a kilo(?:gram)?', '500 grams'),
    rule('a quarter (?:of a )?kilo(?:gram)?', '250 grams'),
    rule('three quarters of a century', '75 years'),
    rule('half a century', '50 years'),
    rule(
      'every (?:other|second) (?<unit>day|week|month|year)',
      ({ unit = '' }) => `every 2 ${unit}s`,
    ),
    rule('twice', '2 times'),
    // `Once it is done` counts nothing.
    rule(String.raw`(?<!\bat )once(?=${ONCE_BEFORE})`, '1 times'),
    QUARTERS.en,
  ],
  de: [
    rule(String.raw`(?<share>halb|dreiviertel) ${hourIn('de')}(?: (?<part>${DE_PART}))?`, clock),
    rule(
      String.raw`(?<share>viertel) (?<side>nach|vor) ${hourIn('de')}(?: (?<part>${DE_PART}))?`,
      clock,
    ),
    rule(
      String.raw`(?<part>${DE_PART}) um ${hourIn('de')}(?: Uhr)?`,
      (each) => `um ${clock(each)}`,
    ),
    rule(
      String.raw`um ${hourIn('de')}(?: Uhr)? (?<part>${DE_PART})`,
      (each) => `um ${clock(each)}`,
    ),
    rule('(?:eine )?dreiviertelstunde', '45 Minuten'),
    rule('(?:eine )?viertelstunde', '15 Minuten'),
    rule('(?:eine )?halbe stunde', '30 Minuten'),
    rule('(?:anderthalb|eineinhalb) stunden', '90 Minuten'),
    rule('(?:ein )?halbes kilo', '500 Gramm'),
    rule(String.raw`(?:ein(?:en)? )?halbe[rn]? liter`, '0,5 Liter'),
    rule('jede zweite woche|alle 14 tage|alle vierzehn tage', 'alle 2 Wochen'),
    rule(String.raw`(?<count>zwei|drei|vier|fünf)mal`, ({ count = '' }) => `${count} mal`),
    QUARTERS.de,
  ],
  es: [
    rule(
      String.raw`a las? ${hourIn('es')} (?<side>y|menos) (?<share>media|cuarto)` +
        String.raw`(?: (?<part>${ES_PART}))?`,
      (each) => `a las ${clock(each)}`,
    ),
    rule(
      String.raw`a las? ${hourIn('es')}(?! ?h)(?: (?<part>${ES_PART}))?`,
      (each) => `a las ${clock(each)}`,
    ),
    rule('el año pasado', 'last year'),
    rule('(?:el próximo año|el año que viene)', 'next year'),
    rule('el mes pasado', 'last month'),
    rule('(?:el próximo mes|el mes que viene)', 'next month'),
    rule('la semana pasada', 'last week'),
    rule('(?:la próxima semana|la semana que viene)', 'next week'),
    rule('media hora', '30 minutos'),
    rule('(?:un )?cuarto de hora', '15 minutos'),
    rule('tres cuartos de hora', '45 minutos'),
    rule('(?:una )?hora y media', '90 minutos'),
    rule('medio kilo', '500 gramos'),
    rule('medio litro', '0,5 litros'),
    rule('(?:al|por|cada) mes', 'mensual'),
    rule('(?:a la|por|cada) semana', 'semanal'),
    rule('(?:al|por|cada) año', 'anual'),
    QUARTERS.es,
  ],
  zh: [
    [
      new RegExp(
        String.raw`(?<part>${ZH_PART})?(?<hour>\d{1,2})[点时]` +
          String.raw`(?:(?<share>半|[13]刻)|(?<minute>\d{1,2})分?|整|钟)?(?!间)`,
        'gu',
      ),
      hanClock,
    ],
    [new RegExp(String.raw`(?<part>${ZH_PART})(?<hour>\d{1,2}):(?<minute>\d\d)`, 'gu'), hanClock],
    [/(?<!\d个?)半个?小时/gu, '30分钟'],
    [/(?<count>\d+)个半(?=小时|钟头|月|星期)/gu, ({ count = '' }) => `${count}.5个`],
    [
      /(?<count>\d+)(?<unit>年|天|小时|公里|公斤|块|米|吨|周|分钟|岁)半(?!\p{L}?价)/gu,
      ({ count = '', unit = '' }) => `${count}.5${unit}`,
    ],
    [/(?<!\d)0下(?=\d)/gu, ' -'],
    [/摄氏度/gu, '°C'],
    [/华氏度/gu, '°F'],
    [/时速(?<amount>\d[\d.,]*公里)/gu, ({ amount = '' }) => `${amount}/小时`],
    [
      new RegExp(
        String.raw`每(?<per>${ZH_PER})(?<amount>\d[\d.,]*[万亿]?${ZH_COUNTED})(?!/)`,
        'gu',
      ),
      ({ per = '', amount = '' }) => `${amount}/${per}`,
    ],
    [new RegExp(String.raw`(?<=\d[万亿]?${ZH_COUNTED})每(?=${ZH_PER})`, 'gu'), '/'],
    [/去年/gu, ' last year '],
    [/明年/gu, ' next year '],
    [/(?<count>\d+)天(?:之|以)?后/gu, ({ count = '' }) => ` in ${count} days `],
    [/上个?月/gu, ' last month '],
    [/下个?月/gu, ' next month '],
    [/1刻钟/gu, '15分钟'],
    [/半公斤/gu, '500克'],
    [/第?(?<one>[1-4])季度/gu, ({ one = '' }) => `Q${one}`],
    [/每个?月/gu, ' monthly '],
    [/每年/gu, ' yearly '],
    [/(?:每个?星期|每周)(?![\p{L}\d])/gu, ' weekly '],
    [/(?:每隔1周|隔周|每2周)/gu, '每2周'],
  ],
};

const HAN_SHARES: Readonly<Record<string, number>> = { 半: 30, '1刻': 15, '3刻': 45 };

function hanClock({ part, hour = '', minute, share }: Groups): string {
  const some = share === undefined ? Number(minute ?? 0) : (HAN_SHARES[share] ?? 0);
  return ` ${timeOf(Number(hour), some, part)} `;
}

/** Returns a plain text with figures for spoken amounts; expects Chinese numerals as digits. */
export function withFigures(plain: string, language: Language): string {
  return REWRITES[language].reduce(
    (text, [pattern, made]) =>
      text.replaceAll(pattern, (...found: unknown[]) =>
        typeof made === 'string' ? made : made((found.at(-1) ?? {}) as Groups),
      ),
    withFractions(plain),
  );
}
