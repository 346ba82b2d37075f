/** What an assistant says it has learned of its work; nothing else that it says is kept. */
import { languageOf, type Language } from '../text/language.ts';
import { ownSentences, stemsOf, type Statement } from './statement.ts';

const LEARNED: Readonly<Record<Language, RegExp>> = {
  en: new RegExp(
    String.raw`^(?:Lesson learned|Note to self|Noted for next time|I(?:['’]ve|` +
      String.raw` have)? learned that)[:,]?\s(?<value>[^?]{10,240})$`,
    'u',
  ),
  de: /^(?:Merke|Gelernt|Notiz an mich|Ich habe gelernt, dass)[:,]?\s(?<value>[^?]{10,240})$/u,
  es: /^(?:Lección aprendida|Nota para mí|He aprendido que)[:,]?\s(?<value>[^?]{10,240})$/u,
  zh: /^(?:经验教训|记下|我学到(?:了)?)[:：,，]?(?<value>[^?？]{4,120})$/u,
};

export function learnedStatements(content: string): readonly Statement[] {
  const language = languageOf(content);
  return ownSentences(content).flatMap((sentence): readonly Statement[] => {
    const value = LEARNED[language].exec(sentence)?.groups?.['value'];
    if (value === undefined) return [];
    const values = stemsOf(value, language);
    if (values.length === 0) return [];
    return [
      {
        text: sentence,
        language,
        kind: 'Lesson',
        topic: 'lesson',
        single: false,
        negative: false,
        values,
        ended: [],
      },
    ];
  });
}
