/** Values of the example sets and the ways to write them. */

/** Chance as an argument: a number from 0 to below 1 for every call. */
export type Chance = () => number;

export function pick<T>(items: readonly T[], chance: Chance): T {
  const item = items[Math.floor(chance() * items.length)];
  if (item === undefined) throw new RangeError('Nothing to pick from.');
  return item;
}

export function intBetween(low: number, high: number, chance: Chance): number {
  return low + Math.floor(chance() * (high - low + 1));
}

export const PEOPLE = (
  'Ann Bob Priya Marco Yuki Omar Lena Diego Fatima Tom Ingrid Kofi Sara Viktor Mei Amara ' +
  'Noah Ravi Elena Hugo ' +
  'Tariq Zoe Pavel Ines Grete Malik Oluwaseun Xiulan Bjarne Thandiwe'
).split(' ');

export const UNITS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  duration: [['minutes', 'min'], ['hours', 'h'], ['days'], ['weeks'], ['months']],
  length: [['metres', 'm'], ['kilometres', 'km'], ['miles'], ['feet', 'ft']],
  data: [
    ['megabytes', 'MB'],
    ['gigabytes', 'GB'],
    ['terabytes', 'TB'],
  ],
  mass: [
    ['grams', 'g'],
    ['kilograms', 'kg'],
    ['tons', 't'],
  ],
  currency: [
    ['euros', 'EUR'],
    ['dollars', 'USD'],
    ['francs', 'CHF'],
    ['pounds', 'GBP'],
  ],
};

const ONES =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen ' +
  'sixteen seventeen eighteen nineteen';
const TENS = 'zero ten twenty thirty forty fifty sixty seventy eighty ninety';
const DAY_MS = 86_400_000;
const MONTHS =
  'January February March April May June July August September October November December';
const WEEKDAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday';

/** `1200`, `1,200` or in words; in digits where `digits` says so. */
export function writtenNumber(value: number, digits: boolean, chance: Chance): string {
  if (!digits && value < 100 && chance() < 0.5) return inWords(value);
  if (!digits && value >= 1100 && value < 10_000 && value % 100 === 0 && chance() < 0.5) {
    return `${inWords(value / 100)} hundred`;
  }
  return value >= 1000 && chance() < 0.5 ? value.toLocaleString('en-US') : String(value);
}

function inWords(value: number): string {
  const ones = ONES.split(' ');
  if (value < 20) return ones[value] ?? '';
  const tens = TENS.split(' ')[Math.floor(value / 10)] ?? '';
  return value % 10 === 0 ? tens : `${tens}-${ones[value % 10] ?? ''}`;
}

/** A day as it is read in one of five ways. */
export function writtenDay(day: number, chance: Chance): string {
  const date = new Date(day * DAY_MS);
  const month = MONTHS.split(' ')[date.getUTCMonth()] ?? '';
  const number = date.getUTCDate();
  const year = date.getUTCFullYear();
  return pick(
    [
      `${String(number)} ${month}`,
      `${month} ${String(number)}`,
      `${String(number)} ${month} ${String(year)}`,
      date.toISOString().slice(0, 10),
      `${month} ${String(number)}, ${String(year)}`,
    ],
    chance,
  );
}

/** A day near another one in words that only mean something beside it. */
export function relativeDay(day: number, today: number): string {
  const words: Readonly<Record<string, string>> = {
    '0': 'today',
    '1': 'tomorrow',
    '-1': 'yesterday',
  };
  const name = WEEKDAYS.split(' ')[new Date(day * DAY_MS).getUTCDay()] ?? '';
  return words[String(day - today)] ?? `${day > today ? 'next' : 'last'} ${name}`;
}

/** `15:00` or `3 pm`. */
export function writtenTime(minutes: number, chance: Chance): string {
  const hour = Math.floor(minutes / 60);
  const rest = String(minutes % 60).padStart(2, '0');
  if (chance() < 0.5) return `${String(hour)}:${rest}`;
  const half = hour < 12 ? 'am' : 'pm';
  const short = hour % 12 === 0 ? 12 : hour % 12;
  return rest === '00' ? `${String(short)}${half}` : `${String(short)}:${rest} ${half}`;
}
