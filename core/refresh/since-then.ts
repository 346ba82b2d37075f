/**
 * What a summary does not know of yet: memories and turns that were added or changed after its
 * sources were read, behind it as they were written (design 6.13). Gone once it is regenerated.
 */
import { cutToTokens, sentenceOf } from './compose-depths.ts';
import { oneLine } from '../text/lines.ts';
import type { TokenCounter } from '../ports/token-counter.ts';
import type { DepthText } from '../records/summary.ts';
import type { Source } from '../sources/source.ts';

const HEADING = 'Since then:';
/** Share of a depth that stands open to what is new; the summary has the rest at least. */
const SINCE_SHARE = 0.5;
/** Fewer tokens than this are no text to cut another down to. */
const CUT_TOKENS_MIN = 8;

/** The text of one depth with what is new behind it. */
export interface TextSince {
  /** What stays of the summary itself. */
  readonly kept: DepthText;
  /** The newest first. */
  readonly since: readonly { readonly source: Source; readonly text: string }[];
  readonly text: string;
  readonly tokens: number;
  /** Whether anything was left out or shortened, of either. */
  readonly cut: boolean;
}

/**
 * Within the limit of the depth. What is new has half of it at most, or more where the summary
 * leaves more; for it the summary gives up its last facts, which count least.
 * @param sources the newest first
 */
export function withSinceThen(
  kept: DepthText,
  sources: readonly Source[],
  { limit, tokens }: { readonly limit: number; readonly tokens: TokenCounter },
): TextSince {
  if (sources.length === 0) return { ...kept, kept, since: [] };
  const room = Math.max(Math.floor(limit * SINCE_SHARE), limit - kept.tokens);
  const since = fittingSince(sources, { room, tokens });
  let left = kept;
  let text = joined(left, since);
  while (tokens.count(text) > limit && left.sentences.length > 0) {
    left = withoutLastFact(left, tokens);
    text = joined(left, since);
  }
  const isLess = left !== kept || since.length < sources.length || since.some(({ isCut }) => isCut);
  return { kept: left, since, text, tokens: tokens.count(text), cut: kept.cut || isLess };
}

interface Told {
  readonly source: Source;
  readonly text: string;
  readonly isCut: boolean;
}

/** The newest that fit; one that is too long by itself is cut, and nothing older follows it. */
function fittingSince(
  sources: readonly Source[],
  { room, tokens }: { readonly room: number; readonly tokens: TokenCounter },
): readonly Told[] {
  const told: Told[] = [];
  for (const source of sources) {
    const next = { source, text: sentenceOf(wordsOf(source)), isCut: false };
    if (tokens.count(sinceText([...told, next])) <= room) {
      told.push(next);
      continue;
    }
    const left = room - tokens.count(sinceText(told));
    const text = left < CUT_TOKENS_MIN ? '' : cutInto(next.text, { told, room, tokens });
    if (text !== '') told.push({ source, text, isCut: true });
    break;
  }
  return told;
}

/** The longest beginning that fits behind the lines so far; empty where none does. */
function cutInto(
  text: string,
  { told, room, tokens }: { told: readonly Told[]; room: number; tokens: TokenCounter },
): string {
  const limit = room - tokens.count(sinceText(told)) - (told.length === 0 ? HEADING_TOKENS : 1);
  return limit <= 0 ? '' : cutToTokens(text, limit, tokens);
}

/** What the heading takes, about. */
const HEADING_TOKENS = 4;

/** On one line, so that nothing in it looks like a heading or an entry of ours. */
function wordsOf({ kind, speaker, text }: Source): string {
  const line = oneLine(text);
  return kind === 'turn' && speaker !== null ? `${speaker}: ${line}` : line;
}

function sinceText(since: readonly { readonly text: string }[]): string {
  return since.length === 0 ? '' : [HEADING, ...since.map(({ text }) => text)].join(' ');
}

function joined({ text }: DepthText, since: readonly { readonly text: string }[]): string {
  return [text, sinceText(since)].filter((part) => part !== '').join(' ');
}

/** Facts stand in the order of what they are worth, and sentences in that of time. */
function withoutLastFact(text: DepthText, tokens: TokenCounter): DepthText {
  const rank = ({ facts }: DepthText['sentences'][number]) => Math.max(0, ...facts);
  const last = Math.max(...text.sentences.map(rank));
  const sentences = text.sentences.filter((each) => rank(each) < last);
  const kept = sentences.map((each) => each.text).join(' ');
  return { ...text, text: kept, tokens: tokens.count(kept), sentences };
}
