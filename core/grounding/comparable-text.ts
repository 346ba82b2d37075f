/**
 * Makes texts comparable: width, digits, quotation marks and dashes make no difference, nor do
 * figures and phrases that a language words in two ways.
 */
import type { Language } from '../text/language.ts';

const FRACTIONS: Readonly<Record<string, string>> = {
  '½': '5',
  '¼': '25',
  '¾': '75',
  '⅓': '33',
  '⅔': '67',
};

/**
 * Returns a text with one form for compatibility characters, digits of every script, quotation
 * marks, apostrophes and dashes. Keeps case, since it marks names.
 */
export function plainText(text: string): string {
  return text
    .replaceAll(/(?:(\d) ?)?([½¼¾⅓⅔])/gu, (_, whole: string | undefined, part: string) => {
      return `${whole ?? '0'}.${FRACTIONS[part] ?? ''}`;
    })
    .normalize('NFKC')
    .replaceAll(/[^\P{Nd}0-9]/gu, digitOf)
    .replaceAll(/[‘’ʼ´`]/gu, "'")
    .replaceAll(/[“”„«»「」『』]/gu, '"')
    .replaceAll(/[–−‑‐]/gu, '-')
    .replaceAll(/(?<!\p{L})([ap])\.\s?m(?!\p{L})\.?/giu, '$1m');
}

/** As `plainText`, in lower case and with one space for any white space: for quotes. */
export function foldedText(text: string): string {
  return plainText(text)
    .toLowerCase()
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(/ (?=[,.;:!?](?: |$))/gu, '')
    .trim();
}

/** As `plainText`, in lower case, with single spaces and no empty lines: for whole sentences. */
export function linedText(text: string): string {
  return plainText(text)
    .toLowerCase()
    .split('\n')
    .flatMap((line) => line.replaceAll(/\s+/gu, ' ').trim() || [])
    .join('\n');
}

/** Converts a decimal digit of any script; Unicode puts the ten digits of a script in a row. */
function digitOf(digit: string): string {
  let zero = digit.codePointAt(0) ?? 0;
  const own = zero;
  while (own - zero < DIGITS_BELOW && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return String((own - zero) % 10);
}

/** Maximum decimal digits below one: some scripts have five rows of ten without a gap. */
const DIGITS_BELOW = 49;

type Rewording = readonly [pattern: RegExp, instead: string];

const REWORDINGS: Readonly<Record<Language, readonly Rewording[]>> = {
  en: [
    [/\b(?:50|fifty) ?(?:percent|per cent|%)(?: of)?(?!\p{L})/giu, 'half of'],
    [/\bhalf a dozen\b/giu, '6'],
    [/\b(?:a|one) dozen\b/giu, '12'],
    [/\ban? (day|week|month|year) and a half\b/giu, '1.5 $1s'],
    // What has ended counts as not done: `quit smoking`, `no longer smokes`.
    [/\b(?:stops?|stopped|quits?|gave up|given up) (?=\p{L}+ing\b)/giu, 'not '],
    [/\bno longer\b/giu, 'not'],
    [/(?<=n't\b[^.;]{0,80}) any ?more\b/giu, ''],
    [/\b(?:in order|so as) to\b/giu, 'to'],
  ],
  de: [
    [/(?<![\d,.])50 ?(?:prozent|%)(?!\p{L})/giu, 'die Hälfte'],
    [/\bein(?:em|es)? dutzend\b/giu, '12'],
  ],
  es: [
    [/(?:\b(?:el|un) )?(?<![\d,.])50 ?(?:%|por ciento)(?: de)?(?!\p{L})/giu, 'la mitad de'],
    [/\b(?:una|la) docena(?: de)?\b/giu, '12'],
  ],
  zh: [[/(?<![\d.])50 ?%|百分之五十/gu, '一半']],
};

/** Returns a text with one wording for each such phrase. */
export function withEquivalentPhrases(plain: string, language: Language): string {
  return REWORDINGS[language].reduce(
    (text, [pattern, instead]) => text.replaceAll(pattern, instead),
    plain,
  );
}
