/**
 * Appends what a summary does not include yet: memories and turns that were added or changed after
 * its sources were read, verbatim (design 6.13). They disappear when the summary is regenerated.
 */
import { cutToTokens } from './compose-depths.ts';
import { newerValues } from '../extraction/newer-value.ts';
import { joinSentences, sentenceOf } from '../text/joined-sentences.ts';
import { saysNothing } from '../text/small-talk.ts';
import { speakerLabel } from '../text/speaker-label.ts';
import { oneLine } from '../text/lines.ts';
import type { TokenCounter } from '../ports/token-counter.ts';
import type { DepthText } from '../records/summary.ts';
import type { Source } from '../sources/source.ts';

const HEADING = 'Since then:';
/** The most of a depth that new text may take; the summary has at least the rest. */
const SINCE_SHARE = 0.5;
/** A longer text, such as a pasted document, is cut to a share of the depth. */
const LONG_UNITS = 1_200;
const LONG_SHARE = 0.25;
/** With less room than this, a text is dropped instead of cut. */
const CUT_TOKENS_MIN = 8;

/** The text of one depth, followed by new text. */
export interface TextSince {
  /** What remains of the summary itself. */
  readonly kept: DepthText;
  /** Newest first. */
  readonly since: readonly { readonly source: Source; readonly text: string }[];
  readonly text: string;
  readonly tokens: number;
  /** Whether part of the summary or of the new text was omitted or shortened. */
  readonly cut: boolean;
}

/**
 * Fits the summary and the new text into the limit of the depth. New text gets at most half, or
 * more if the summary leaves more. To make room, the summary loses its last facts, which matter
 * least.
 * @param all newest first; an emoji or a greeting alone is left out
 */
export function withSinceThen(
  kept: DepthText,
  all: readonly Source[],
  { limit, tokens }: { readonly limit: number; readonly tokens: TokenCounter },
): TextSince {
  const sources = withoutOutdatedLines(all.filter(({ text }) => !saysNothing(text)));
  if (sources.length === 0) return { ...kept, kept, since: [] };
  const room = Math.max(Math.floor(limit * SINCE_SHARE), limit - kept.tokens);
  const longMax = Math.floor(limit * LONG_SHARE);
  const since = fittingSince(sources, { room, longMax, tokens });
  let left = kept;
  let text = joined(left, since);
  while (tokens.count(text) > limit && left.sentences.length > 0) {
    left = withoutLastFact(left, tokens);
    text = joined(left, since);
  }
  const isLess = left !== kept || since.length < sources.length || since.some(({ isCut }) => isCut);
  return { kept: left, since, text, tokens: tokens.count(text), cut: kept.cut || isLess };
}

/** Removes memories for which another one among them has a newer value. */
function withoutOutdatedLines(sources: readonly Source[]): readonly Source[] {
  const memories = sources.filter(({ kind }) => kind === 'memory');
  if (memories.length < 2) return sources;
  const replaced = new Set([...newerValues(memories).keys()].map((place) => memories[place]));
  return sources.filter((source) => !replaced.has(source));
}

interface Entry {
  readonly source: Source;
  readonly text: string;
  readonly isCut: boolean;
}

/** Returns the newest that fit. The first that does not fit is cut, and nothing older follows. */
function fittingSince(
  sources: readonly Source[],
  {
    room,
    longMax,
    tokens,
  }: { readonly room: number; readonly longMax: number; readonly tokens: TokenCounter },
): readonly Entry[] {
  const shown: Entry[] = [];
  for (const source of sources) {
    const whole = sentenceOf(wordsOf(source));
    const isLong = sources.length > 1 && whole.length > LONG_UNITS;
    const next = {
      source,
      text: isLong ? cutToTokens(whole, longMax, tokens) : whole,
      isCut: isLong,
    };
    if (next.text === '') continue;
    if (tokens.count(sinceText([...shown, next])) <= room) {
      shown.push(next);
      continue;
    }
    const left = room - tokens.count(sinceText(shown));
    const text = left < CUT_TOKENS_MIN ? '' : cutInto(next.text, { shown, room, tokens });
    if (text !== '') shown.push({ source, text, isCut: true });
    break;
  }
  return shown;
}

/** Returns the longest beginning that fits after the lines so far; empty if none fits. */
function cutInto(
  text: string,
  { shown, room, tokens }: { shown: readonly Entry[]; room: number; tokens: TokenCounter },
): string {
  const limit = room - tokens.count(sinceText(shown)) - (shown.length === 0 ? HEADING_TOKENS : 1);
  return limit <= 0 ? '' : cutToTokens(text, limit, tokens);
}

/** Approximate tokens of the heading. */
const HEADING_TOKENS = 4;

/** Joins the lines of a text, so that no line looks like a heading or an entry of the context. */
function wordsOf({ kind, speaker, text }: Source): string {
  const line = oneLine(text);
  return kind === 'turn' && speaker !== null ? `${speakerLabel(speaker)}${line}` : line;
}

/** Returns new text with its heading; empty if nothing is new. */
function sinceText(since: readonly { readonly text: string }[]): string {
  return since.length === 0 ? '' : `${HEADING} ${joinSentences(since.map(({ text }) => text))}`;
}

/** Returns the part *since then* after a summary, or the new text alone if no summary is left. */
export function sinceThenText(kept: string, since: readonly { readonly text: string }[]): string {
  return kept === '' ? joinSentences(since.map(({ text }) => text)) : sinceText(since);
}

function joined({ text }: DepthText, since: readonly { readonly text: string }[]): string {
  return [text, sinceThenText(text, since)].filter((part) => part !== '').join(' ');
}

/** Facts are ordered by value, sentences by time. */
function withoutLastFact(text: DepthText, tokens: TokenCounter): DepthText {
  const rank = ({ facts }: DepthText['sentences'][number]) => Math.max(0, ...facts);
  const last = Math.max(...text.sentences.map(rank));
  const sentences = text.sentences.filter((each) => rank(each) < last);
  const kept = joinSentences(sentences.map((each) => each.text));
  return { ...text, text: kept, tokens: tokens.count(kept), sentences };
}
