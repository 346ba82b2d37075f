/** Reads rates: the unit that a quantity is counted per, such as the hour of `50 km/h`. */
import { oneOf } from './pattern.ts';
import { stem } from './stem.ts';
import { lowerAt, type Token } from './token.ts';
import { isLetterUnit, unitsOf, type Unit } from './unit.ts';

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
