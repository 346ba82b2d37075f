/**
 * Sentences that rest on the one before: without it, their subject is unknown. Their beginning
 * shows it: a pronoun, a repetition, an answer, an ellipsis.
 */
import { oneOf } from './pattern.ts';

const ENGLISH = String.raw`
  it, its, it's, he, she, they, his, her, their, this, that, these, those, the same, same here,
  same for, likewise, ditto, also, again, still, then, so, therefore, thus, hence, but, and, or,
  however, otherwise, instead, nevertheless, besides, moreover, meanwhile, confirmed, agreed,
  approved, done, correct, exactly, yes, no, nope, yep, rejected, denied, both, neither, either,
  the latter, the former, the other, another one, not yet, as before, as above
`;
const GERMAN = String.raw`
  er, sie, es, dies, das, dieser, diese, dieses, derselbe, dieselbe, dasselbe, aber, und, oder,
  auch, deshalb, daher, trotzdem, bestätigt, genau, stimmt, ja, nein, ebenso, dann, außerdem
`;
const SPANISH = String.raw`
  él, ella, ello, ellos, ellas, esto, eso, lo mismo, igual, también, pero, y, o, además, entonces,
  por eso, sin embargo, confirmado, sí, exacto
`;
const HAN =
  '它, 他, 她, 这, 那, 其, 此, 同样, 也, 但, 不过, 而且, 所以, 因此, 另外, 已确认, 确认, 同意, 对, 是的, 不是';
const OPENS = new RegExp(
  String.raw`^[\s"'“«(*_-]*${oneOf([ENGLISH, GERMAN, SPANISH].join(','))}(?![\p{L}\p{N}'’])`,
  'iu',
);
const OPENS_HAN = new RegExp(String.raw`^[\s"“「]*${oneOf(HAN)}`, 'u');
/** `Das Haus`: what the word points to stands behind it. */
const HAS_NOUN = /^\P{L}*(?:Das|Diese[rs]?)\s+\p{Lu}/u;

/** Whether a sentence depends on the one before. */
export function restsOnBefore(sentence: string): boolean {
  if (HAS_NOUN.test(sentence)) return false;
  return OPENS.test(sentence) || OPENS_HAN.test(sentence);
}

const ANSWERS = String.raw`
  confirmed, agreed, approved, rejected, denied, done, likewise, ditto, same here, same for,
  the same, the latter, the former, not yet, as before, as above, bestätigt, ebenso, genau so,
  confirmado, aprobado, lo mismo
`;
const ANSWER = new RegExp(String.raw`^[\s"'“«(*_-]*${oneOf(ANSWERS)}(?![\p{L}\p{N}'’])`, 'iu');

/** `Confirmed again on Friday.`: what was confirmed stands in the sentence before. */
export function isAnswer(sentence: string): boolean {
  return ANSWER.test(sentence);
}
