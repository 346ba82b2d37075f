/**
 * Merges sources into turns: what one speaker said without an interruption. A transcript splits a
 * turn into fragments, with "mm-hmm" of others in between; a written source is one turn.
 */
import { speakerLabel } from '#core/text/speaker-label.ts';
import { isContentWord, plainWords } from '#core/text/words.ts';
import { maskMarkup } from './mask-markup.ts';

interface TurnInput {
  readonly id: string;
  readonly text: string;
  readonly speaker?: string;
  /** Id of the long turn that contains it (`extractive-model.ts`). */
  readonly longTurn?: string;
}

/** One source inside a turn: its masked text begins at `offset` of the turn's text. */
interface Chunk {
  readonly sourceIndex: number;
  readonly offset: number;
  readonly length: number;
}

export interface Turn {
  readonly speaker: string;
  readonly kind: TurnKind;
  /** What a fact of this turn begins with: "Speaker: " where several speak. */
  readonly prefix: string;
  readonly masked: string;
  readonly chunks: readonly Chunk[];
  /** Id of the long turn that contains it; null for what a person says in one go. */
  readonly longTurn: string | null;
}

/** Written: no speaker. Typed: a message of a chat. Spoken: a transcript. */
type TurnKind = 'Written' | 'Typed' | 'Spoken';

interface OpenTurn {
  readonly speaker: string;
  readonly longTurn: string | null;
  masked: string;
  readonly chunks: Chunk[];
}

/** A longer name would take room from what was said. */
const SPEAKER_CHARS_MAX = 60;

/** A turn that is longer is not merged further, so that merging stays linear. */
const TURN_CHARS_MAX = 8000;

/**
 * Weights of the words of a chat's participants: a session is about what its user says and wants.
 * Participants send whole messages, so their turns are never fragments of one sentence.
 */
export const CHAT_ROLE_WEIGHTS: ReadonlyMap<string, number> = new Map([
  ['user', 2],
  ['human', 2],
  ['assistant', 1],
  ['ai', 1],
  ['agent', 1],
  ['model', 1],
  ['bot', 1],
  ['system', 0.3],
  ['developer', 0.3],
  ['tool', 0.3],
  ['function', 0.3],
]);

/** The turns of all sources, in order. Every source with any prose is in exactly one turn. */
export function mergeTurns(
  sources: readonly TurnInput[],
  { isNamed = false }: { readonly isNamed?: boolean } = {},
): readonly Turn[] {
  const turns: OpenTurn[] = [];
  let open: OpenTurn | undefined;
  for (const [sourceIndex, source] of sources.entries()) {
    const masked = maskMarkup(source.text);
    const speaker = source.speaker?.replace(/\s+/gu, ' ').trim() ?? '';
    if (masked.trim() === '' || isBackchannel(masked, speaker)) continue;
    const { longTurn = null } = source;
    if (open?.longTurn === longTurn && continues(open, speaker, masked)) {
      const joint = isFragment(open.masked, masked) ? ' ' : '\n';
      const offset = open.masked.length + 1;
      open.chunks.push({ sourceIndex, offset, length: masked.length });
      open.masked += joint + masked;
      continue;
    }
    const chunks = [{ sourceIndex, offset: 0, length: masked.length }];
    open = { speaker, longTurn, masked, chunks };
    turns.push(open);
  }
  const several = isNamed || new Set(turns.map((turn) => turn.speaker)).size > 1;
  return turns.map((turn) => ({
    ...turn,
    kind: turnKind(turn.speaker),
    prefix: several ? prefixOf(turn.speaker) : '',
  }));
}

function prefixOf(speaker: string): string {
  return speaker === '' || speaker.length > SPEAKER_CHARS_MAX ? '' : speakerLabel(speaker);
}

/**
 * Whether a sentence of a turn begins like a turn of another speaker, as "assistant: " does, so
 * that alone it would be attributed to that speaker.
 * @param speakers lower-case names of all who speak
 */
export function posesAsAnother(said: string, turn: Turn, speakers: ReadonlySet<string>): boolean {
  const [, label = ''] = LABEL.exec(said) ?? [];
  const name = label.trim().toLowerCase();
  const own = turn.speaker.toLowerCase();
  if (own === '' || name === '' || name === own) return false;
  return CHAT_ROLE_WEIGHTS.has(name) || speakers.has(name);
}

/** Roles that speak in their own words at any length. */
const WRITERS: ReadonlySet<string> = new Set(['assistant', 'ai', 'agent', 'model', 'bot']);

/** Whether a turn passes on what others wrote: a person does not write a document in a chat. */
export function isForwardedTurn({ longTurn, speaker }: Turn): boolean {
  return longTurn !== null && speaker !== '' && !WRITERS.has(speaker.toLowerCase());
}

/** The text before the first colon, at most as long as a shown name. */
const LABEL = /^[\s>*_#“-]*([^:：]{1,60}?)[\s*_”]*[:：]/u;

export function turnKind(speaker: string): TurnKind {
  if (speaker === '') return 'Written';
  return CHAT_ROLE_WEIGHTS.has(speaker.toLowerCase()) ? 'Typed' : 'Spoken';
}

function continues(open: OpenTurn, speaker: string, next: string): boolean {
  if (turnKind(speaker) !== 'Spoken' || speaker !== open.speaker) return false;
  return open.masked.length + next.length < TURN_CHARS_MAX;
}

function isFragment(before: string, next: string): boolean {
  if (/[.?!。！？…]["'”’)\]]*\s*$/u.test(before)) return false;
  return /[,–-]\s*$/u.test(before) || /^\s*\p{Ll}/u.test(next);
}

/** "Mm-hmm", "Yeah, right": said while another speaks, it must not split the other's sentence. */
function isBackchannel(masked: string, speaker: string): boolean {
  if (speaker === '' || masked.length > BACKCHANNEL_CHARS_MAX) return false;
  return !plainWords(masked).some((word) => isContentWord(word) && !BACKCHANNEL_WORDS.has(word));
}

const BACKCHANNEL_CHARS_MAX = 60;
const BACKCHANNEL_WORDS: ReadonlySet<string> = new Set(
  'uh huh um umm hmm mm mmm mhm ah eh er oh yeah nice cool great fine exactly'.split(' '),
);
