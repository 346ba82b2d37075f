/** What became of the lines of MEMORY.md that a dream's answer does not have as they were. */
import type { DocumentLine } from '../records/document.ts';
import { isProtected } from '../tiers/keep-mark.ts';
import { isHeld, mayReplace, type KnownLine } from './same-line.ts';

export interface LostLines {
  /** By the id of the line that says it as well, or took its place. */
  readonly replaced: ReadonlyMap<string, readonly DocumentLine[]>;
  /** Their replacement was left out, no model saw them, or a person keeps them. */
  readonly spared: readonly DocumentLine[];
  /** The answer simply does not have them. */
  readonly missing: readonly DocumentLine[];
  /** How many of those replaced have no new line of their own: joined, or held by another. */
  readonly joined: number;
}

interface Answered {
  readonly lines: readonly KnownLine[];
  readonly added: readonly (KnownLine & { readonly cites: ReadonlySet<string> })[];
  readonly dropped: readonly { readonly sources: readonly string[] }[];
  /** Whether the model was shown a line of MEMORY.md: it cannot have left out another. */
  readonly isShown: (id: string) => boolean;
  /** A line of a dream without a model cites no older one but to take its place. */
  readonly isWithoutModel: boolean;
}

/**
 * A new line takes the place of those that it cites only where it is about the same thing, and of
 * one without a count: else one line that cites everything could empty the file unguarded.
 */
export function lostLines(
  lost: readonly KnownLine[],
  { lines, added, dropped, isShown, isWithoutModel }: Answered,
): LostLines {
  const left = new Set(dropped.flatMap(({ sources }) => sources));
  const replaced = new Map<string, DocumentLine[]>();
  const taken = new Set<string>();
  let joined = 0;
  const spared: DocumentLine[] = [];
  const missing: DocumentLine[] = [];
  for (const { line, read } of lost) {
    if (!isShown(line.id) || isProtected(line)) {
      spared.push(line);
      continue;
    }
    const citing = added.filter(
      (each) => each.cites.has(line.id) && (isWithoutModel || mayReplace(read, each.read)),
    );
    const own = citing.find((each) => !taken.has(each.line.id));
    const by = own ?? citing[0] ?? lines.find((each) => isHeld(read, each.read));
    if (by === undefined) {
      (left.has(line.id) ? spared : missing).push(line);
      continue;
    }
    if (own === undefined) joined += 1;
    else taken.add(own.line.id);
    replaced.set(by.line.id, [...(replaced.get(by.line.id) ?? []), line]);
  }
  return { replaced, spared, missing, joined };
}
