/** Finds the headings and sources of lines in a new MEMORY.md, and which old lines it loses. */
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
import { lineKey, contentWords, shareOfWordsIn } from '../memory-files/line-likeness.ts';
import type { AnsweredLine } from './dream-answer.ts';
import { isContained, mayReplace, type KnownLine } from './compare-lines.ts';

/** Rules for headings, which may say in new words what their lines are about. */
const HEADING_RULES = ['identifier', 'measure'] as const;

/**
 * Returns headings by the heading of the answer: as the answer or MEMORY.md spells it. Leaves out a
 * heading with a number, a day or an identifier that the sources of its lines do not have.
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

/** Minimum share of words between a line and its support; with less, they are unrelated. */
const SUPPORT_SHARE_MIN = 0.2;

/** What one source of a dream, or a line of it, rests on. */
interface Support {
  readonly words: ReadonlySet<string>;
  readonly ids: readonly string[];
  readonly at: number;
}

export interface SupportBook {
  readonly of: ReadonlyMap<string, readonly Support[]>;
  /** Labels in front of several lines, such as names of speakers. */
  readonly labels: ReadonlySet<string>;
}

/**
 * Returns the original statements behind each source, so that a reader can trace a line to them. A
 * line of MEMORY.md has its own sources, and a block has those of its lines. A line or block that a
 * person wrote is its own source.
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

/** The label of a line: `user: I pay`, `Ann Smith: I pay`. */
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

/** Returns the words of a line without its speaker, who does not show what the line is about. */
function wordsWithoutLabel(text: string, labels: ReadonlySet<string>): ReadonlySet<string> {
  const label = labelOf(text);
  const isLabeled = label !== null && (labels.has(label) || isRole(label));
  return contentWords(isLabeled ? text.replace(LABEL, '') : text);
}

/** Returns the sources of a line, nearest first and limited in number, and their newest time. */
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
 * Returns the supports that say all of the line; if there are none, those that share words with it;
 * if there are none either, all of them.
 */
function nearest(words: ReadonlySet<string>, supports: readonly Support[]): readonly Support[] {
  const ranked = supports
    .map((support) => ({ support, share: shareOfWordsIn(words, support.words) }))
    .toSorted((one, other) => other.share - one.share);
  const shareMin = ranked[0]?.share === 1 ? 1 : SUPPORT_SHARE_MIN;
  const near = ranked.filter(({ share }) => share >= shareMin);
  return (near.length === 0 ? ranked : near).map(({ support }) => support);
}

export interface LostLines {
  /** Lost lines, by the id of the line that also says or replaces them. */
  readonly replaced: ReadonlyMap<string, readonly DocumentLine[]>;
  /** Lines that stay: their replacement was left out, no model saw them, or a person keeps them. */
  readonly spared: readonly DocumentLine[];
  /** Lines that the answer simply does not have. */
  readonly missing: readonly DocumentLine[];
  /** Number of replaced lines without a new line of their own: others join or contain them. */
  readonly joined: number;
}

interface Answered {
  readonly lines: readonly KnownLine[];
  readonly added: readonly (KnownLine & { readonly cites: ReadonlySet<string> })[];
  readonly dropped: readonly { readonly sources: readonly string[] }[];
  /** Whether the model saw a line of MEMORY.md: it cannot leave out a line it did not see. */
  readonly isShown: (id: string) => boolean;
  /** Whether no model answered: then a line cites an older one only to replace it. */
  readonly isWithoutModel: boolean;
}

/**
 * Finds which lines are lost. A new line replaces cited lines only if it is about the same thing,
 * and only one of them without counting. Otherwise a line that cites everything could empty the
 * file past the guards.
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
    const by = own ?? citing[0] ?? lines.find((each) => isContained(read, each.read));
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
