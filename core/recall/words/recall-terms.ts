/**
 * The terms that recall compares: those of the analyzer, without function words of other languages
 * than English, which the analyzer keeps.
 */
import type { TextAnalyzer } from '../../ports/text-analyzer.ts';
import { withoutRelativeTimes } from '../question/relative-times.ts';

/**
 * Function words of German, Spanish, Chinese and French; the analyzer already drops English ones.
 * In a conversation of a hundred turns, word counts do not identify them. Some are also listed as
 * the analyzer stems them: `tien` for `tiene`.
 */
const GERMAN = `
der die das den dem des ein eine einen einem einer eines und oder aber ist sind war waren wär nicht
ich du er sie es wir ihr mich mir dich dir sich uns euch ihm ihn ihnen mit von vom zu zum zur im in
am an auf für als auch dass daß wie wird werden wurde hat habe haben hatte hatten bei bis aus nach
noch schon so man nur wenn was wer wen wem wo wann warum welche welcher welches welchen welchem dann
denn doch ja nein mal mein meine meinen meinem meiner dein deine sein seine unser kein keine keinen
über unter vor hin her kann könnte muss soll will wollte sollte hier da dort jetzt sehr mehr viel
etwas alle alles andere um ob also ganz gar halt eben wieder immer nie
seit gegen sollen welch
`;
const SPANISH = `
el la los las lo un una uno unos unas y o u e pero es era fue ser está están estaba no sí yo tú
vos él ella ellos nosotros me te se nos le les mi mis tu tus su sus de del a al en por para con sin
sobre entre hasta desde que qué quién quien cuál cual cuánto cuándo cómo como dónde donde cuando si
ya muy más menos todo toda todos todas este esta esto ese esa eso aquel hay he ha han había tengo
tiene tener usted ustedes hacer hace hizo va voy ir también porque pues así
soy estoy cuánta tien desd dond sobr entr
`;
const CHINESE = `
的 了 是 我 你 您 他 她 它 们 在 有 和 就 不 也 都 吗 呢 吧 啊 把 给 这 那 哪 什么 怎么 我们 你们 他们
一个 这个 那个 哪个 没有 自己 还是 还有 的是 是什 是哪 了什 我的 你的 时候 我在 我是 是我 你还 么时 的时
`;
/** As the analyzer stems them. Words of other languages are left out: `son`, `car` and `pour`. */
const FRENCH = `
je il elle ell on nous vous ils elles lui leur leurs j n qu et ou donc ne le du au un une cet cett
ces notr votr nos vos qui quoi quel quell quels quand ou avec chez depui tres deja alor as ont avon
avez avait avai avaient sont etait etai etaient etre ete ce estc astu avaistu avezv avonsn
`;

/** In the form of analyzer terms: without diacritics. */
const FUNCTION_WORDS: ReadonlySet<string> = new Set(
  `${GERMAN} ${SPANISH} ${CHINESE} ${FRENCH}`
    .normalize('NFD')
    .replaceAll(/[\u0300-\u036F]/gu, '')
    .trim()
    .split(/\s+/u),
);

/** Contractions that people type without an apostrophe, and their stems: `hes`, `theyr`. */
const TYPED: ReadonlySet<string> = new Set(
  (
    'im hes shes thats theres whats whos wheres hows ive weve youve theyve your youre ' +
    'theyr theyre dont doesnt didnt isnt arent wasnt hasnt havent hadnt wont cant ' +
    'couldnt wouldnt shouldnt'
  ).split(' '),
);

/** Returns the terms that recall compares: analyzer terms without function words. */
export function recallTerms(analyzer: TextAnalyzer, text: string): readonly string[] {
  return analyzer.terms(text).filter((term) => !FUNCTION_WORDS.has(term) && !TYPED.has(term));
}

/**
 * Returns the terms of a question without those of times that count from its day, such as "last
 * week"; all of them if it has no others.
 */
export function topicTerms(analyzer: TextAnalyzer, question: string): readonly string[] {
  const terms = recallTerms(analyzer, withoutRelativeTimes(question));
  return terms.length > 0 ? terms : recallTerms(analyzer, question);
}

/** Returns the terms of a question that say what it is about: all of them if none says more. */
export function questionTerms(analyzer: TextAnalyzer, question: string): readonly string[] {
  const telling = topicTerms(analyzer, question);
  return telling.length > 0 ? telling : analyzer.terms(question);
}
