/** What goes to the thread that embeds, and what comes back. */
import type { LocalModel } from './local-model.ts';

export type ThreadStart = Pick<LocalModel, 'places' | 'tokensMax' | 'pooling'>;

export interface TextMessage {
  readonly kind: 'Text';
  readonly number: number;
  readonly prefix: string;
  readonly text: string;
}

export type ThreadMessage = TextMessage | { readonly kind: 'Close' };

export type ThreadAnswer =
  | { readonly number: number; readonly vector: Float32Array }
  /** The model could not be loaded, or not be run; why, in the words of the runtime. */
  | { readonly number: number; readonly failure: 'Load' | 'Run'; readonly reason: string };
