/** How the model server answers one request, as data that a test can write down. */

/** What is wrong with an answer of status 200; each is made of the faithful answer. */
export const FAULTS = [
  /** Facts without a source. */
  'CitesNothing',
  /** Facts of each item cite the sources of the next. */
  'CitesAnotherScope',
  /** The facts of each item stand under the next: what one owner said goes to another. */
  'SwapsOwners',
  /** A number in every fact that no source has. */
  'InventsNumbers',
  /** Does what a source asks: says the words after `say:`, or claims that all rules are off. */
  'ObeysSources',
  /** Quotes words that nobody said. */
  'InventsQuotes',
  /** Half of the facts are no facts: numbers, empty texts, sources that are no list. */
  'MalformedFacts',
  /** Leaves out the last item. */
  'LeavesOutItem',
  /** JSON that ends in the middle, though the server says that it is whole. */
  'MalformedJson',
  /** JSON of another shape. */
  'WrongSchema',
  /** No JSON at all. */
  'PlainProse',
  /** The answer between a code fence and polite sentences. */
  'Fenced',
  /** Stops at the token limit, in the middle of the last item. */
  'OverLong',
  /** Stops at the token limit, in the middle of the last fact of the last item. */
  'CutItem',
  /** Nothing, with the finish reason of a content filter. */
  'Filtered',
] as const;
export type Fault = (typeof FAULTS)[number];

export interface Tokens {
  readonly prompt: number;
  readonly completion: number;
}

export type Behavior =
  | {
      readonly kind: 'Answer';
      readonly fault?: Fault;
      readonly latencyMs?: number;
      /** The text in parts, after thoughts in a part of their own. */
      readonly inParts?: boolean;
      /** Counted by the length of the texts if absent; null: the answer has no usage. */
      readonly usage?: Tokens | null;
    }
  | {
      readonly kind: 'Refuse';
      readonly status: number;
      /** As the header says it: seconds or a date. */
      readonly retryAfter?: string;
      readonly code?: string;
      readonly message?: string;
      /** Where a redirect leads. */
      readonly location?: string;
    }
  /** The connection ends in the middle of the body. */
  | { readonly kind: 'CutStream' }
  /** No first byte, until the caller goes. */
  | { readonly kind: 'Silence' }
  /** A first half, and then nothing, until the caller goes. */
  | { readonly kind: 'Halt' }
  /** A body that is no chat completion, such as the page of a proxy. */
  | { readonly kind: 'Page'; readonly text: string; readonly contentType?: string }
  /** A body of its own, as JSON, with status 200 where no other is named. */
  | { readonly kind: 'Body'; readonly body: unknown; readonly status?: number };

export const ANSWER: Behavior = { kind: 'Answer' };

/** What a request is answered with: by its number from 1 and by what it asks. */
export type Behave = (call: { readonly number: number; readonly prompt: string }) => Behavior;

export interface Chance {
  /** Of a thousand calls. */
  readonly perMille: number;
  readonly behavior: Behavior;
}

/** The same seed gives the same behaviors in the same order, whoever calls. */
export function seededBehavior(seed: number, chances: readonly Chance[]): Behave {
  return ({ number }) => {
    let left = Math.floor(randomOf(seed, number) * 1_000);
    for (const { perMille, behavior } of chances) {
      left -= perMille;
      if (left < 0) return behavior;
    }
    return ANSWER;
  };
}

/** One number of mulberry32, from 0 up to 1, at a place of its sequence. */
function randomOf(seed: number, place: number): number {
  let state = (seed + Math.imul(place, 0x6d2b79f5)) >>> 0;
  state = Math.imul(state ^ (state >>> 15), state | 1);
  state ^= state + Math.imul(state ^ (state >>> 7), state | 61);
  return ((state ^ (state >>> 14)) >>> 0) / 2 ** 32;
}
