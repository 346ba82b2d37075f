/** A rule of the judge: fragments such as `Dana.` or `two cats`, which state nothing. */
import { wordSet } from '../text/stop-words.ts';
import type { CitedClaim } from './cited-claim.ts';
import type { DropReason } from './drop-reason.ts';
import { ANDS } from './sentence-parts.ts';

/** Words that stand beside a thing without stating anything of it. */
const BESIDE =
  wordSet(`the a an my your his her its our their this that and with of in on at for from to by
  der die das den dem des ein eine einen einem einer mein meine sein seine ihr ihre unser unsere und
  mit von in im am auf bei für aus zu el la los las un una su sus mi mis y e de del con en para a
  的 和 与 只 个 名 位 条 件 辆 家 在`);
/** Characters of a Chinese claim that is too short for a statement. */
const HAN_NAME = /^\p{Script=Han}{1,2}$/u;

/** Words for none of something, as in `no meat`. */
const NONE = /^(?:no|kein\p{L}*|ning\p{L}+)$/u;

/** Returns the reason to drop a claim that is one thing or some names without a verb. */
export function fragmentReason({ claim, language }: CitedClaim): DropReason | null {
  const { words, lower } = claim;
  const things = words.filter(({ kind }) => kind === 'Content');
  const [thing, second] = things;
  const isName = HAN_NAME.test(lower.replaceAll(/[^\p{L}\p{N}]/gu, ''));
  if (isName) return 'NotInSource';
  // `Olga and Riga`; in Spanish, the first word of `Vivo en Lyon` is a verb.
  const areNames =
    language !== 'de' &&
    words.some(({ lower: own }) => ANDS.has(own)) &&
    things.every(({ text }) => /^\p{Lu}/u.test(text));
  if (second !== undefined && !areNames) return null;
  // `Two cats`, but not `on Tuesday works`.
  const isDated = claim.measures.days.length + claim.measures.times.length > 0;
  const isNoun =
    language !== 'zh' && !isDated && (thing === undefined || /^\p{Lu}|s$/u.test(thing.text));
  const isBare = words.every(({ kind, lower: own }) => {
    if (kind === 'Free') return BESIDE.has(own);
    return kind === 'Content' || (isNoun && (kind === 'Value' || NONE.test(own)));
  });
  const isLast = thing === undefined || things.at(-1) === words.at(-1);
  return isBare && isLast ? 'NotInSource' : null;
}
