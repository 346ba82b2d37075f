/**
 * Whether a word that no source has may be a name. Capitals tell names in the middle of English and
 * Spanish sentences; where they tell nothing a word counts as one unless its place says otherwise.
 */
import type { Language } from '../text/language.ts';
import { wordSet } from '../text/stop-words.ts';
import type { Sentence, Word } from './passage.ts';

const BEHIND_A_NOUN = wordSet('of to for in on from with by at de del para en con a al sobre');
/** What stands before a German noun, and seldom before a name. */
const ARTICLES = wordSet(`der die das den dem des ein eine einen einem einer eines kein keine keinen
  keinem keiner mein meine meinen meinem meiner dein deine sein seine seinen seinem seiner ihr ihre
  ihren ihrem ihrer unser unsere unseren unserem unserer euer eure zum zur beim im am vom ins ans
  diese dieser dieses diesen diesem jede jeder jedes jeden jedem alle viele einige mehr welche`);
/** An adjective may stand between. */
const ARTICLE_REACH = 2;
const GERMAN_NOUN = /(?:ung|heit|keit|schaft|tion|tät|nis|ismus|ungen|heiten|keiten|tionen)$/u;
const SURNAMES = new Set(
  '王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘蒋蔡余杜叶程苏魏吕丁任沈姚' +
    '卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤欧',
);
const PLACED = /[在到去往于从自叫姓是由给跟]$/u;

export function isMaybeName(word: Word, { tokens }: Sentence, language: Language): boolean {
  if (word.isName) return true;
  const before = tokens[word.at - 1];
  if (language === 'zh') {
    if (Array.from(word.lower).length === 1 || SURNAMES.has(word.lower.slice(0, 1))) return true;
    return PLACED.test(before?.text ?? '') || !/^\p{Script=Han}+$/u.test(word.lower);
  }
  if (!/^\p{Lu}/u.test(word.text)) return false;
  if (language !== 'de') return !BEHIND_A_NOUN.has(tokens[word.at + 1]?.lower ?? '');
  if (GERMAN_NOUN.test(word.lower)) return false;
  const near = tokens.slice(Math.max(0, word.at - ARTICLE_REACH), word.at);
  return !near.some(({ lower }) => ARTICLES.has(lower));
}
