/** The place in a JSON input from which ids and times of turns are counted. */
import type { Identifiers } from '#core/identifiers.ts';

/** Where the import of one file stands; counted over all its objects, good and bad. */
export interface Cursor {
  /** Slug of the file's name: session ids and turn ids begin with it. */
  readonly session: string;
  /** The file's name in keys and metadata. */
  readonly name: string;
  readonly baseTime: number;
  readonly identifiers: Identifiers;
  /** Objects before this one. */
  objects: number;
  /** Turns before this one: what derived ids and times are counted by. */
  turns: number;
}
