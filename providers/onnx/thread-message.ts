/** Messages to and from the thread that embeds. */
import type { LocalModel } from './read-model-folder.ts';

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
  /** The model could not be loaded or run; the reason is the runtime's message. */
  | { readonly number: number; readonly failure: 'Load' | 'Run'; readonly reason: string };
