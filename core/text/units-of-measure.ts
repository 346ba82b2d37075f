/**
 * Units of measure: their names, what they measure, how they convert, and the unit that a quantity
 * is counted per, such as the hour of `50 km/h`.
 */
import { oneOf } from './pattern.ts';
import { stem } from './stem.ts';
import { lowerAt, type Token } from './words-and-marks.ts';

export interface Unit {
  readonly dimension: string;
  /** Size of the unit, in the dimension's base unit. */
  readonly factor: number;
}

/** Each line: dimension, factor, the words for it. Lengths are in meters, times in seconds. */
const TABLE = `
length 0.001 mm millimetre millimetres millimeter millimeters milímetro milímetros 毫米
length 0.01 cm centimetre centimetres centimeter centimeters zentimeter centímetro centímetros 厘米
length 1 m metre metres meter meters metern metro metros 米
length 1000 km kilometre kilometres kilometer kilometers kilometern kms kilómetro kilómetros 公里
length 1609.344 mile miles mi meilen meile
length 0.3048 ft foot feet
length 0.0254 inch inches zoll
length 0.9144 yard yards
mass 0.001 mg milligram milligrams milligramm miligramo miligramos 毫克
mass 1 g gram grams gramm gramo gramos 克
mass 1000 kg kilo kilos kilogram kilograms kilogramm kilogramo kilogramos 公斤 千克
mass 1000000 t ton tons tonne tonnes tonnen tonelada toneladas 吨
mass 453.592 lb lbs pound pounds
mass 28.3495 oz ounce ounces
volume 0.001 ml millilitre millilitres milliliter milliliters mililitro mililitros 毫升
volume 1 l litre litres liter liters litro litros 升
volume 3.78541 gallon gallons
duration 0.001 ms millisecond milliseconds millisekunden
duration 1 s sec secs second seconds sekunde sekunden segundo segundos 秒
duration 60 min mins minute minutes minuten minuto minutos 分钟 m
duration 3600 h hr hrs hour hours hourly stündlich stunde stunden hora horas 小时 钟头
duration 86400 d day days daily täglich diario diarios tag tage tagen día días 天 日
duration 604800 week weeks weekly wöchentlich wk wks woche wochen semana semanas 周 星期 个星期
duration 604800 semanal semanales
duration 1209600 fortnight fortnights biweekly
duration 2629746 month months monthly monatlich mo monat monate monaten mes meses 个月
duration 2629746 mensual mensuales
duration 7889238 quarterly
duration 31556952 year years yearly annual annually annum yr yrs jahr jahre jahren año años 年
duration 31556952 jährlich anual anuales
duration 315569520 decade decades
data 1 byte bytes
data 1000 kb kilobyte kilobytes kib
data 1000000 mb megabyte megabytes mib meg megs
data 1000000000 gb gigabyte gigabytes gib gig gigs
data 1000000000000 tb terabyte terabytes tib
data 1000000000000000 pb petabyte petabytes
bits 1000 kbit
bits 1000000 mbit
bits 1000000000 gbit
percent 1 % percent pct prozent percentage
points 1 pp
usd 1 $ dollar dollars usd buck bucks
eur 1 € euro euros eur
gbp 1 £ gbp quid sterling pound pounds
jpy 1 ¥ yen jpy 円
cny 1 yuan rmb cny 元 块 块钱
inr 1 ₹ rupee rupees inr
chf 1 chf franc francs franken
sek 1 krona kronor sek
cents 1 cent cents
celsius 1 celsius c °c
fahrenheit 1 fahrenheit f °f
kelvin 1 kelvin
power 1 w watt watts
power 1000 kw kilowatt kilowatts
power 1000000 mw megawatt megawatts
energy 1 kwh
energy 1000 mwh
frequency 1 hz hertz
frequency 1000 khz
frequency 1000000 mhz
frequency 1000000000 ghz
times 1 times x fold
`;

const UNITS = readTable();

/** Returns all units that a word may mean: `m` is a meter or a minute, `pound` money or weight. */
export function unitsOf(word: string): readonly Unit[] {
  return UNITS.get(word) ?? [];
}

/** Words that stand for a unit and the unit that it is counted per. */
const COMPOUNDS: Readonly<Record<string, readonly [unit: string, per: string]>> = {
  kmh: ['km', 'h'],
  kph: ['km', 'h'],
  mph: ['mile', 'h'],
  kbps: ['kbit', 's'],
  mbps: ['mbit', 's'],
  gbps: ['gbit', 's'],
};

/** Returns the two units of `mph`, mile and hour; for another word its own units and none. */
export function rateUnitsOf(word: string): readonly [readonly Unit[], readonly Unit[]] {
  const [unit, per] = COMPOUNDS[word] ?? [word, ''];
  return [unitsOf(unit), unitsOf(per)];
}

/** Whether a unit is also a letter, word or name, so that it counts only after digits. */
export function isLetterUnit(word: string): boolean {
  return /^(?:[a-z]|mi|mo|pp|kilo|kilos)$/u.test(word);
}

/** Tolerance between different units: a quarter of a year is 90 days, three months are 91. */
const CONVERSION_TOLERANCE = 0.015;
/** Ratios of data units: powers of two and of ten have the same names. */
const BINARY_STEPS = [1, 1.024, 1.048_576, 1.073_741_824, 1.099_511_627_776];

/** Whether two measured values are the same amount. */
export function isSameAmount(
  one: { value: number; unit: Unit },
  other: { value: number; unit: Unit },
): boolean {
  if (one.unit.dimension !== other.unit.dimension) return false;
  if (one.unit.factor === other.unit.factor) return one.value === other.value;
  const ratio = (one.value * one.unit.factor) / (other.value * other.unit.factor);
  const steps = one.unit.dimension === 'data' ? BINARY_STEPS : [1];
  return steps.some((step) => isNear(ratio, step) || isNear(ratio, 1 / step));
}

function isNear(ratio: number, expected: number): boolean {
  return Math.abs(ratio / expected - 1) <= CONVERSION_TOLERANCE;
}

function readTable(): ReadonlyMap<string, readonly Unit[]> {
  const units = new Map<string, Unit[]>();
  for (const line of TABLE.trim().split('\n')) {
    const [dimension = '', factor = '1', ...words] = line.split(' ');
    const unit = { dimension, factor: Number(factor) };
    for (const word of words) units.set(word, [...(units.get(word) ?? []), unit]);
  }
  return units;
}

// Rates: the unit that a quantity is counted per.

export interface Rate {
  readonly per: readonly Unit[];
  readonly length: number;
}

/** Words that say how often: `monthly`, `mensual`, `täglich`. */
export const PERIODIC = new RegExp(
  `^${oneOf(`
    hourly, daily, weekly, biweekly, monthly, yearly, annual, annually, mensual, mensuales,
    semanal, semanales, anual, anuales, diario, diarios, stündlich, täglich, wöchentlich,
    monatlich, jährlich
  `)}$`,
  'u',
);

/** Spanish `por` also means `for`, so only these words make a rate after it. */
const COUNTED_BY_POR = new RegExp(
  `^${oneOf('persona, usuario, unidad, noche, cabeza, habitante, niño, alumno, pieza, plaza')}$`,
  'u',
);
/** Words after `per` that make no rate: how something is sent or paid, and `percent`. */
const NOT_PER = /^(?:cent.*|se|e|email|mail|post|bank|phone|fax|sms|card|capita|default)$/u;

/**
 * Returns the rate that begins at a token, or null: `per hour`, `/month`, `a day`, `pro Person`.
 * @param isCount whether the quantity has no unit: a slash after it may separate two nouns
 */
export function rateAt(tokens: readonly Token[], index: number, isCount: boolean): Rate | null {
  const sign = lowerAt(tokens, index);
  if (PERIODIC.test(sign)) return { per: unitsOf(sign), length: 0 };
  const tens = /^10+$/u.test(lowerAt(tokens, index + 1)) ? 1 : 0;
  const token = tokens[index + 1 + tens];
  if (token?.kind !== 'Word') return null;
  const name = token.lower;
  const times = tens === 0 ? 1 : Number(lowerAt(tokens, index + 1));
  const units = unitsOf(name).map((unit) => ({ ...unit, factor: unit.factor * times }));
  const durations = units.filter(({ dimension }) => dimension === 'duration');
  const length = tens + 2;
  if (/^(?:an?|each|every|jede[nmrs]?|cada)$/u.test(sign)) {
    const isPast = /^(?:ago|later|earlier|before|after)$/u.test(lowerAt(tokens, index + 2));
    const isRate = durations.length > 0 && !isPast && !isLetterUnit(name);
    return isRate ? { per: durations, length } : null;
  }
  if (sign === '/' && isCount) return durations.length > 0 ? { per: durations, length } : null;
  if (!/^(?:per|pro|por|je|\/)$/u.test(sign)) return null;
  if (units.length > 0 && (sign === '/' || !isLetterUnit(name))) return { per: units, length };
  const isNamed =
    (sign === '/' && !isLetterUnit(name)) ||
    sign === 'pro' ||
    (sign === 'per' && /^\p{Ll}/u.test(token.text) && !NOT_PER.test(name)) ||
    (sign === 'je' && /^\p{Lu}/u.test(token.text)) ||
    (sign === 'por' && COUNTED_BY_POR.test(name));
  return isNamed ? { per: [eachOf(name, times)], length: tens + 1 } : null;
}

/** Returns a unit for a word that is no unit of measure, such as the user of `$5 per user`. */
export function eachOf(word: string, times = 1): Unit {
  return { dimension: `each ${stem(word)}`, factor: times };
}
