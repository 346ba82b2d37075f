/**
 * Finds the figures that passages name, and which could replace another: `318 covers` and `347`,
 * `£8.25` and `£7.95`. A correction in other words often has a figure of the same size.
 */

/** Matches a figure that is no part of a word, a date, a time or a range; Han has no spaces. */
const FIGURE = new RegExp(
  String.raw`(?<![\p{Script=Latin}\p{N}.,:/-])\p{Sc}?` +
    String.raw`(?:\d{1,3}(?:[.,'’]\d{3})+|\d+(?:[.,]\d+)?)(?![\d:/-])`,
  'gu',
);
const GROUPED = /^\d{1,3}(?:[.,'’]\d{3})+$/u;
const YEAR = /^(?:19|20)\d\d$/u;
/** Whole figures below this are too common to tell two topics apart. */
const WHOLE_MIN = 10;
/** The greater of two figures of the same size is less than this many times the other. */
const SAME_SIZE_RATIO = 1.5;

/** Returns the figures of a text, except years and small whole numbers. */
export function amountsIn(text: string): readonly number[] {
  const amounts: number[] = [];
  for (const [found] of text.matchAll(FIGURE)) {
    const figure = found.replace(/^\p{Sc}/u, '');
    const amount = GROUPED.test(figure)
      ? Number(figure.replaceAll(/\D/gu, ''))
      : Number(figure.replace(',', '.'));
    const isCommon = Number.isInteger(amount) && amount < WHOLE_MIN;
    if (!isCommon && !YEAR.test(figure)) amounts.push(amount);
  }
  return amounts;
}

/** Whether two different amounts are of the same size, and both whole or both not. */
export function mayReplaceAmount(older: number, newer: number): boolean {
  const [less, more] = older < newer ? [older, newer] : [newer, older];
  return (
    less !== more &&
    more < less * SAME_SIZE_RATIO &&
    Number.isInteger(less) === Number.isInteger(more)
  );
}
