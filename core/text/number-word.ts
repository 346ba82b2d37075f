/** Reads numbers in words, in English, German and Spanish, up to billions. */
import { numberByWord } from './word-lists.ts';

const UNITS = 'zero one two three four five six seven eight nine ten eleven twelve thirteen';
const TEENS = 'fourteen fifteen sixteen seventeen eighteen nineteen';
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety';
const ORDINALS =
  'zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth ' +
  'thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth';
const GERMAN =
  'null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn ' +
  'fünfzehn sechzehn siebzehn achtzehn neunzehn';
const GERMAN_TENS = 'zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig';
const GERMAN_PARTS = 'ein zwei drei vier fünf sechs sieben acht neun';

const SPANISH =
  'cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince ' +
  'dieciséis diecisiete dieciocho diecinueve veinte veintiuno veintidós veintitrés veinticuatro ' +
  'veinticinco veintiséis veintisiete veintiocho veintinueve treinta';
const SPANISH_TENS = 'cuarenta cincuenta sesenta setenta ochenta noventa cien';
const SPANISH_HUNDREDS =
  'doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos ' +
  'novecientos';

/** The factor by which a word multiplies the number before it. */
const MAGNITUDES = numberByWord({
  12: 'dozen, dutzend, docenas',
  100: 'hundred, hundert',
  1e3: 'thousand, tausend, mil, tsd',
  1e6: 'million, millions, mio, mill, mn, millionen, millón, millones',
  1e9: 'billion, billions, bn, mrd, milliarde, milliarden',
  1e12: 'billionen, billones, trillion',
  1e4: '万, 萬',
  1e8: '億, 亿',
});
/** Letters that count only directly after digits: `10k`, `3M`. */
const SUFFIXES: Readonly<Record<string, number>> = { k: 1e3, m: 1e6, b: 1e9, tn: 1e12 };
const SINGLE = numberByWord({
  12: 'dozen, dutzend, docena',
  14: 'fortnight',
});

const CARDINAL_VALUES = cardinals();
const ORDINAL_VALUES = ordinals();

export function cardinalOf(word: string): number | undefined {
  return CARDINAL_VALUES.get(word) ?? germanCompound(word) ?? germanMixed(word);
}

/** Returns the value of a part of a German compound, in which `ein` is a number. */
function germanPart(word: string): number | undefined {
  return word === 'ein' ? 1 : CARDINAL_VALUES.get(word);
}

const COMPOUND = /^(?<front>[a-zäöüß]{0,24}?)(?<scale>hundert|tausend)(?<rest>[a-zäöüß]{0,40})$/u;

/** Returns the value of a German compound such as `zweihundertfünfzig`, or undefined. */
function germanCompound(word: string): number | undefined {
  const { front = '', scale = '', rest = '' } = COMPOUND.exec(word)?.groups ?? {};
  if (scale === '') return undefined;
  const times = front === '' ? 1 : germanPart(front);
  const behind = rest === '' ? 0 : (germanCompound(rest) ?? germanPart(rest.replace(/^und/u, '')));
  if (times === undefined || behind === undefined) return undefined;
  return times * (scale === 'hundert' ? 100 : 1_000) + behind;
}

const MIXED = /^(?<whole>[a-zäöüß]{3,40})(?<share>einhalb|einviertel|dreiviertel)$/u;
const PARTS_OF_ONE = numberByWord({ 0.5: 'einhalb', 0.25: 'einviertel', 0.75: 'dreiviertel' });

/** Returns the value of `zweieinhalb`, `dreidreiviertel` or `anderthalb`, or undefined. */
function germanMixed(word: string): number | undefined {
  if (word === 'anderthalb') return 1.5;
  const { whole = '', share = '' } = MIXED.exec(word)?.groups ?? {};
  const value = germanPart(whole);
  return value === undefined ? undefined : value + (PARTS_OF_ONE.get(share) ?? 0);
}

export function ordinalOf(word: string): number | undefined {
  return ORDINAL_VALUES.get(word);
}

/** Returns the factor of a word after a number; letters such as `k` count only if glued to it. */
export function magnitudeOf(word: string, glued: boolean): number | undefined {
  return MAGNITUDES.get(word) ?? (glued ? SUFFIXES[word] : undefined);
}

function cardinals(): ReadonlyMap<string, number> {
  const values = new Map(SINGLE);
  `${UNITS} ${TEENS}`.split(' ').forEach((word, value) => values.set(word, value));
  TENS.split(' ').forEach((word, index) => values.set(word, (index + 2) * 10));
  GERMAN.split(' ').forEach((word, value) => values.set(word, value));
  GERMAN_TENS.split(' ').forEach((ten, index) => {
    const value = (index + 2) * 10;
    values.set(ten, value);
    GERMAN_PARTS.split(' ').forEach((part, one) => values.set(`${part}und${ten}`, value + one + 1));
  });
  SPANISH.split(' ').forEach((word, value) => values.set(word, value));
  SPANISH_TENS.split(' ').forEach((word, index) => values.set(word, (index + 4) * 10));
  SPANISH_HUNDREDS.split(' ').forEach((word, index) => {
    values.set(word, (index + 2) * 100);
    values.set(word.replace(/os$/u, 'as'), (index + 2) * 100);
  });
  for (const word of ['un', 'una']) values.set(word, 1);
  values.set('veintiuna', 21);
  values.set('veintiún', 21);
  values.set('ciento', 100);
  return values;
}

function ordinals(): ReadonlyMap<string, number> {
  const tens = TENS.split(' ').map((word) => word.replace(/y$/u, 'ieth'));
  return new Map([
    ...ORDINALS.split(' ').map((word, value) => [word, value] as const),
    ...tens.map((word, index) => [word, (index + 2) * 10] as const),
  ]);
}
