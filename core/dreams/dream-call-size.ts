/**
 * Chooses the sources of a dream that one call of its model can read. MEMORY.md is read whole. New
 * blocks are read oldest first: blocks without room stay new, and the next dream starts with them.
 * A block that fits no call is read from its beginning, and the diary says how much was left.
 */
import { TOKENIZER_MARGIN } from '../budget/input-tokens-bound.ts';
import { VarveError } from '../errors.ts';
import type { DreamModel, DreamQuestion } from '../ports/dream-model.ts';
import type { TokenCounter } from '../ports/token-counter.ts';
import type { Document } from '../records/document.ts';
import type { Source } from '../sources/source.ts';
import { utf8Bytes } from '../storable-text.ts';
import { MEMORY_TOKENS_MIN } from './memory-md-size.ts';

/** Maximum blocks of one dream: a busy day of an agent, and far fewer than a record can hold. */
export const DREAM_BLOCKS_MAX = 5_000;

export interface FittedDream {
  readonly question: DreamQuestion;
  /** New blocks that are read; the others stay new. */
  readonly read: readonly Document[];
  readonly leftBlocks: number;
  /** Lines of the new blocks that are read, and unread ones of a block too long for any call. */
  readonly readLines: number;
  readonly unreadLines: number;
}

interface FitParts {
  readonly model: Pick<DreamModel, 'usageMax' | 'inputTokensMax'>;
  /** The new blocks of the question. */
  readonly fresh: readonly Document[];
  readonly tokens: TokenCounter;
}

/**
 * @throws VarveError CONTEXT_LIMIT_TOO_SMALL if MEMORY.md alone is more than a call can read or can
 * write
 */
export function fittedDream(whole: DreamQuestion, { model, fresh, tokens }: FitParts): FittedDream {
  if (whole.tokensMax < MEMORY_TOKENS_MIN) throw writesTooLittle(whole.tokensMax);
  const frame = frameOf(model, whole);
  const sizeOf = ({ tokens: own }: Pick<Source, 'tokens'>): number =>
    frame.source + Math.ceil(own * TOKENIZER_MARGIN);
  const sizes = (sources: readonly Source[]): number =>
    sources.reduce((sum, source) => sum + sizeOf(source), 0);
  let room = model.inputTokensMax - frame.rules - sizes(whole.memory);
  const sources = new Map(whole.daily.map((source) => [source.id, source]));
  const chosen = new Map<string, Source>();
  const read: Document[] = [];
  let unreadLines = 0;
  for (const block of fresh) {
    const source = sources.get(block.id);
    if (source === undefined) continue;
    if (read.length >= DREAM_BLOCKS_MAX || (sizeOf(source) > room && read.length > 0)) break;
    const cut =
      sizeOf(source) <= room ? { source, unread: 0 } : cutSource(source, { room, tokens, sizeOf });
    if (cut === null) throw tooSmall(model.inputTokensMax);
    chosen.set(block.id, cut.source);
    read.push(block);
    unreadLines += cut.unread;
    room -= sizeOf(cut.source);
  }
  for (const source of whole.daily.toReversed()) {
    if (!whole.readBefore.has(source.id) || sizeOf(source) > room) continue;
    if (chosen.size >= DREAM_BLOCKS_MAX) break;
    chosen.set(source.id, source);
    room -= sizeOf(source);
  }
  const daily = whole.daily.flatMap(({ id }) => chosen.get(id) ?? []);
  return {
    question: { ...whole, daily },
    read,
    leftBlocks: fresh.length - read.length,
    readLines: read.reduce((all, { lines }) => all + lines.length, 0) - unreadLines,
    unreadLines,
  };
}

interface CutParts {
  readonly room: number;
  readonly tokens: TokenCounter;
  readonly sizeOf: (source: Pick<Source, 'tokens'>) => number;
}

/** Returns as many lines from the beginning as there is room for; null if not even one fits. */
function cutSource(
  source: Source,
  { room, tokens, sizeOf }: CutParts,
): { readonly source: Source; readonly unread: number } | null {
  const lines = source.text.split('\n');
  let own = 0;
  let count = 0;
  for (const line of lines) {
    // One more token for the end of the line.
    const longer = own + tokens.count(line) + 1;
    if (sizeOf({ tokens: longer }) > room) break;
    own = longer;
    count += 1;
  }
  if (count === 0) return null;
  const text = lines.slice(0, count).join('\n');
  const cut = { ...source, text, tokens: own, bytes: utf8Bytes(text) };
  return { source: cut, unread: lines.length - count };
}

/** Returns the tokens of a call's rules, and those around one source. */
function frameOf(
  model: Pick<DreamModel, 'usageMax'>,
  whole: DreamQuestion,
): { readonly rules: number; readonly source: number } {
  const none = { ...whole, memory: [], daily: [], headings: new Map<string, null>() };
  const rules = model.usageMax(none).inputTokens;
  const [probe] = [...whole.daily, ...whole.memory];
  if (probe === undefined) return { rules, source: 0 };
  const daily = [{ ...probe, text: '', tokens: 0, bytes: 0 }];
  return { rules, source: Math.max(0, model.usageMax({ ...none, daily }).inputTokens - rules) };
}

function tooSmall(inputTokensMax: number): VarveError {
  const message =
    `The model reads ${String(inputTokensMax)} tokens, too few for MEMORY.md and one line more. ` +
    'Choose a model with a larger context for the class that the dream names.';
  return new VarveError('CONTEXT_LIMIT_TOO_SMALL', message, { details: { inputTokensMax } });
}

function writesTooLittle(tokensMax: number): VarveError {
  const message =
    `The model can write ${String(tokensMax)} tokens of MEMORY.md in one answer; at least ` +
    `${String(MEMORY_TOKENS_MIN)} are needed. Choose a model with longer answers for the dream.`;
  return new VarveError('CONTEXT_LIMIT_TOO_SMALL', message, { details: { tokensMax } });
}
