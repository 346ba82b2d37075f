/** Which lines of a new MEMORY.md stay, and what each rests on: headings, sources, losses. */
import { groundEach } from '../grounding/grounding.ts';
import { isRole } from '../grounding/speaker.ts';
import type { DreamQuestion } from '../ports/dream-model.ts';
import type { AnswerFact } from '../prompt/parse-answer.ts';
import {
  HEADING_LENGTH_MAX,
  LINE_SOURCES_MAX,
  type DocumentLine,
  type Document,
} from '../records/document.ts';
import type { Source } from '../sources/source.ts';
import { oneLine } from '../text/lines.ts';
import { isProtected } from '../memory-files/keep-mark.ts';
import { lineKey, contentWords, sharedOf } from '../memory-files/line-key.ts';
import type { AnsweredLine } from './dream-answer.ts';
import { isHeld, mayReplace, type KnownLine } from './compare-lines.ts';

/** A heading says what its lines are about, in words of its own. */
const HEADING_RULES = ['identifier', 'measure'] as const;

/**
 * By the heading of the answer: as it is written, or as MEMORY.md has it already. One that names
 * a number, a day or the like that the sources of its lines do not have is not in it.
 */
export function groundedHeadings(
  answered: readonly AnsweredLine[],
  base: readonly DocumentLine[],
  sources: ReadonlyMap<string, Source>,
): ReadonlyMap<string, string> {
  const known = new Map(base.map(({ heading }) => [lineKey(heading ?? ''), heading]));
  const ids = new Map(base.map(({ id, text }) => [lineKey(text), id]));
  const headings = new Map<string, string>();
  const claims: (AnswerFact & { readonly heading: string })[] = [];
  for (const [heading, lines] of Map.groupBy(answered, (line) => line.heading)) {
    if (heading === null) continue;
    const same = known.get(lineKey(heading));
    if (same != null) {
      headings.set(heading, same);
      continue;
    }
    const text = oneLine(heading);
    const cited = lines.flatMap((line) => [...line.sources, ids.get(lineKey(line.text)) ?? '']);
    const under = [...new Set(cited)].filter((id) => sources.has(id)).slice(0, LINE_SOURCES_MAX);
    if (text === '' || text.length > HEADING_LENGTH_MAX) continue;
    claims.push({ heading, text, sources: under });
  }
  for (const [at, { reason, text }] of groundEach(claims, sources, {
    rules: HEADING_RULES,
  }).entries()) {
    if (reason === null) headings.set(claims[at]?.heading ?? text, text);
  }
  return headings;
}

/** A line of a block that shares less with what rests on the block is about something else. */
const SUPPORT_SHARE_MIN = 0.2;

/** What stands behind one source of a dream. */
interface Support {
  readonly words: ReadonlySet<string>;
  readonly ids: readonly string[];
  readonly at: number;
}

export interface SupportBook {
  readonly of: ReadonlyMap<string, readonly Support[]>;
  /** What stands in front of several lines, as who speaks does. */
  readonly labels: ReadonlySet<string>;
}

/**
 * Returns the sources in flattened form, so that a reader who follows a line finds the original
 * statements. A line of MEMORY.md gives its own sources, a block those of its lines; a line or
 * block that a person wrote is its own source.
 */
export function supportBook(
  question: DreamQuestion,
  base: readonly DocumentLine[],
  blocks: readonly Document[],
): SupportBook {
  const known = new Set([...question.memory, ...question.daily].map(({ id }) => id));
  const labels = repeatedLabels([...base, ...blocks.flatMap(({ lines }) => lines)]);
  const supportOf = ({ text, sources, at }: DocumentLine, id: string): Support => ({
    words: wordsWithoutLabel(text, labels),
    ids: sources.length === 0 ? [id] : sources,
    at,
  });
  const of = new Map<string, readonly Support[]>();
  for (const line of base) if (known.has(line.id)) of.set(line.id, [supportOf(line, line.id)]);
  for (const { id, lines } of blocks) {
    if (!known.has(id)) continue;
    of.set(
      id,
      lines.map((line) => supportOf(line, id)),
    );
  }
  return { of, labels };
}

/** `user: I pay`, `Ann Smith: I pay`. */
const LABEL = /^([^:：\n]{1,60})[:：]\s/u;

function labelOf(text: string): string | null {
  return LABEL.exec(text)?.[1]?.toLowerCase() ?? null;
}

function repeatedLabels(lines: readonly Pick<DocumentLine, 'text'>[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const { text } of lines) {
    const label = labelOf(text);
    if (label === null) continue;
    (seen.has(label) ? repeated : seen).add(label);
  }
  return repeated;
}

/** Who speaks says nothing of what a line is about: all that a person said has the same label. */
function wordsWithoutLabel(text: string, labels: ReadonlySet<string>): ReadonlySet<string> {
  const label = labelOf(text);
  const isLabeled = label !== null && (labels.has(label) || isRole(label));
  return contentWords(isLabeled ? text.replace(LABEL, '') : text);
}

/** The sources of a line and the newest time of them, the nearest first, at most so many. */
export function restsOn(
  text: string,
  cited: readonly string[],
  { of, labels }: SupportBook,
): { readonly sources: string[]; readonly at: number | null } {
  const words = wordsWithoutLabel(text, labels);
  const supports = cited.flatMap((id) => nearest(words, of.get(id) ?? []));
  const sources = [...new Set(supports.flatMap(({ ids }) => ids))].slice(0, LINE_SOURCES_MAX);
  const at = supports.length === 0 ? null : Math.max(...supports.map((each) => each.at));
  return { sources, at };
}

/**
 * Those that say all of the line; where none does, those that share words with it; all of them
 * where none shares any.
 */
function nearest(words: ReadonlySet<string>, supports: readonly Support[]): readonly Support[] {
  const ranked = supports
    .map((support) => ({ support, share: sharedOf(words, support.words) }))
    .toSorted((one, other) => other.share - one.share);
  const shareMin = ranked[0]?.share === 1 ? 1 : SUPPORT_SHARE_MIN;
  const near = ranked.filter(({ share }) => share >= shareMin);
  return (near.length === 0 ? ranked : near).map(({ support }) => support);
}

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
