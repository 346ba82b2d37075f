/** Gives figures and phrases that a language words in two ways a single wording. */
import type { Language } from '../text/language.ts';

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
