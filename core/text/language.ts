/** Detects which of the languages with a lexicon a text is in. */
import { wordSet } from './word-lists.ts';

export type Language = 'en' | 'de' | 'es' | 'zh';

const MARKERS: Readonly<Record<Exclude<Language, 'zh'>, ReadonlySet<string>>> = {
  en: new Set(
    `the and is are was were of to in on at for with it not by from has have be i my we our you your
      she her his they their this that these those will would can could do does did or but who
      which what when after before`.split(/\s+/u),
  ),
  de: wordSet(`der die das und ist sind war nicht ein eine einen dem den des mit für auf im am zu
    ich wir von bei wird hat haben wurde
    wurden sich nach aus vor dass er sie es seine seinen ihr ihre
    noch nur beim vom zur zum um mein meine meiner meinem meinen unser unsere kein keine habe bin
    aber oder`),
  es: new Set(
    `el la los las de del que y en un una es son fue no se por para con al lo su mi ha está mis nos
      ya muy pero`.split(/\s+/u),
  ),
};
/** Matches a character that Chinese is written with. */
export const HAN = /\p{Script=Han}/u;

/** Chinese is detected by its share of the letters, since it has no separate words to count. */
const HAN_SHARE_MIN = 0.2;
const SAMPLE_CHARS = 4_000;

/** Returns the language of a text; English if nothing decides. */
export function languageOf(text: string): Language {
  const sample = text.slice(0, SAMPLE_CHARS).toLowerCase();
  const han = sample.match(/\p{Script=Han}/gu)?.length ?? 0;
  const letters = han === 0 ? 0 : (sample.match(/\p{L}/gu)?.length ?? 0);
  if (han > letters * HAN_SHARE_MIN) return 'zh';
  const score = { en: 0, de: 0, es: 0 };
  for (const word of sample.match(/\p{L}+/gu) ?? []) {
    for (const language of ['en', 'de', 'es'] as const) {
      if (MARKERS[language].has(word)) score[language] += 1;
    }
  }
  score.de += sample.match(/[äöüß]/gu)?.length ?? 0;
  score.es += sample.match(/[ñ¿¡áíóú]/gu)?.length ?? 0;
  if (score.de > score.en && score.de >= score.es) return 'de';
  return score.es > score.en ? 'es' : 'en';
}
