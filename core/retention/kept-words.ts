/**
 * The words that stay of old turns: as few as the facts that cite them need (decision 0053).
 *
 * Flow: of each turn, keep the quotes of its facts, and for a fact without a quote the sentence
 * that shares most words with it → ground the facts in the words to keep → if a fact would fail,
 * its turns keep whole sentences → if it would still fail, they keep everything.
 * Guarantees: the turns of a fact that would fail keep all their words. A judgment that also rests
 * on other turns may still change, but rarely. A fact that its own sources did not support keeps
 * its quote and no more. Kept words are words of the turn, except for a quote that was written with
 * other letters or spaces.
 */
import type { AnswerFact } from '../prompt/parse-answer.ts';
import { groundEach } from '../grounding/grounding.ts';
import { foldedText } from '../grounding/comparable-text.ts';
import { stem } from '../text/stem.ts';
import type { Fact } from '../records/summary.ts';
import type { Source } from '../sources/source.ts';
import { utf8Bytes } from '../storable-text.ts';
import { sentencesIn } from '../text/sentences.ts';

/** How much of a turn stays for one fact. */
type Step = 'Quote' | 'Sentences' | 'Whole';
/** What a failing fact keeps instead, step by step. */
const RAISES: readonly Step[] = ['Sentences', 'Whole'];

/**
 * Returns the words that stay, by turn id; turns that no fact cites are left out.
 * @param facts every fact of the scope: of its summaries and of its segments
 * @param sources all sources of the scope
 * @param old ids of the turns whose text will be deleted
 */
export function keptWords(
  facts: readonly Fact[],
  sources: readonly Source[],
  old: ReadonlySet<string>,
): ReadonlyMap<string, readonly string[]> {
  const known = new Map(sources.map((source) => [source.id, source]));
  const citing = facts.filter((fact) => fact.sources.some((id) => old.has(id)));
  const steps = new Map<Fact, Step>(citing.map((fact) => [fact, 'Quote']));
  let kept = wordsBy(steps, known, old);
  // Facts that the full text did not support would not gain from more words.
  const wanted = grounded(citing, known);
  for (const step of RAISES) {
    const standing = new Set(grounded(wanted, withKept(known, { kept, old })));
    const failing = wanted.filter((fact) => !standing.has(fact));
    if (failing.length === 0) break;
    for (const fact of failing) steps.set(fact, step);
    kept = wordsBy(steps, known, old);
  }
  return kept;
}

type Known = ReadonlyMap<string, Source>;
type Kept = ReadonlyMap<string, readonly string[]>;

function wordsBy(steps: ReadonlyMap<Fact, Step>, known: Known, old: ReadonlySet<string>): Kept {
  const kept = new Map<string, Set<string>>();
  for (const [fact, step] of steps) {
    for (const id of fact.sources) {
      const source = old.has(id) ? known.get(id) : undefined;
      if (source === undefined) continue;
      const words = kept.get(id) ?? new Set();
      for (const each of wordsFor(fact, source.text, step)) words.add(each);
      kept.set(id, words);
    }
  }
  return new Map([...kept].map(([id, words]) => [id, fewest([...words], known.get(id)?.text)]));
}

function wordsFor(fact: Fact, text: string, step: Step): readonly string[] {
  if (step === 'Whole') return [text.trim()];
  const { quote } = fact;
  const sentences = sentencesIn(text);
  const holding = quote === null ? [] : sentencesHolding(sentences, quote);
  if (step === 'Quote') {
    if (quote !== null && foldedText(text).includes(foldedText(quote))) return [quote.trim()];
    return bestSentence(fact, sentences);
  }
  return holding.length > 0 ? holding : sharing(fact, sentences);
}

/**
 * Returns the shortest run of sentences that contains the quote; none if it is from another turn.
 */
function sentencesHolding(sentences: readonly string[], quote: string): readonly string[] {
  const wanted = foldedText(quote);
  const holds = (from: number, to: number): boolean =>
    foldedText(sentences.slice(from, to).join(' ')).includes(wanted);
  let end = 1;
  while (end <= sentences.length && !holds(0, end)) end += 1;
  if (end > sentences.length) return [];
  let start = 0;
  while (start + 1 < end && holds(start + 1, end)) start += 1;
  return sentences.slice(start, end);
}

/** Returns the sentence that shares most words with the fact; the first of equal ones. */
function bestSentence(fact: Fact, sentences: readonly string[]): readonly string[] {
  const wanted = stemsOf(fact.text);
  let best: string | null = null;
  let most = -1;
  for (const sentence of sentences) {
    const shared = countSharedStems(wanted, sentence);
    if (shared > most) [best, most] = [sentence, shared];
  }
  return best === null ? [] : [best];
}

function sharing(fact: Fact, sentences: readonly string[]): readonly string[] {
  const wanted = stemsOf(fact.text);
  return sentences.filter((sentence) => countSharedStems(wanted, sentence) > 0);
}

function countSharedStems(wanted: ReadonlySet<string>, sentence: string): number {
  return [...stemsOf(sentence)].filter((stem) => wanted.has(stem)).length;
}

function stemsOf(text: string): ReadonlySet<string> {
  return new Set((foldedText(text).match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => stem(word)));
}

/** Removes texts that another one contains; the result is never longer than the turn. */
function fewest(words: readonly string[], text = ''): readonly string[] {
  const own = words.filter(
    (each) => each !== '' && !words.some((other) => other !== each && other.includes(each)),
  );
  const whole = text.trim();
  return utf8Bytes(own.join('\n')) < utf8Bytes(whole) || whole === '' ? own : [whole];
}

/** Returns the sources after the compaction: an old turn that no fact cites has no text left. */
function withKept(known: Known, { kept, old }: { kept: Kept; old: ReadonlySet<string> }): Known {
  const sources = [...known].map(([id, source]) => {
    const text = old.has(id) ? (kept.get(id) ?? []).join('\n') : source.text;
    return [id, { ...source, text }] as const;
  });
  return new Map(sources);
}

function grounded(facts: readonly Fact[], sources: Known): readonly Fact[] {
  const asked = facts.map((fact): AnswerFact => {
    const { text, sources: cited, quote, speaker, derived } = fact;
    return { text, sources: [...cited], quote, speaker, ...(derived && { derived }) };
  });
  const judged = groundEach(asked, sources);
  return facts.filter((_, at) => judged[at]?.reason === null);
}
