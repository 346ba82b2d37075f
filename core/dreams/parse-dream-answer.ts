/**
 * Converts the text of a model that got the prompt to the text of a `DreamAnswer`. Labels become
 * ids. Accepts common deviations: bold or fenced sections, other bullets, numbers, words before the
 * first section, no second section.
 */
import type { DreamQuestion } from '../ports/dream-model.ts';
import { oneLine } from '../text/lines.ts';
import { readMemoryRows } from '../memory-files/memory-md.ts';
import { citedText } from './citation.ts';
import { dreamAnswerText, type AnsweredLine } from './dream-answer.ts';
import { idsByLabel } from './dream-prompt.ts';

/** Maximum characters of an answer to read; limits of output tokens keep answers far shorter. */
const TEXT_LENGTH_MAX = 1_000_000;

const SECTION =
  /^\s{0,8}(?:#{1,6}\s{1,4})?[*_`]{0,3}\[\s?(MEMORY|DREAM)\s?\][*_`:]{0,4}(?:\s+(.*))?$/iu;
/** The number of a list item, which counts as a bullet. */
const NUMBER = /^(\s{0,8})\d{1,3}[.)]\s+/u;
const FENCE_ROW = /^\s*(?:`{3,}|~{3,})[\w-]*\s*$/u;

/**
 * Returns an empty text if there is no section `[MEMORY]`; the caller must check that.
 * @param isCut whether the model was stopped before its end
 */
export function promptedAnswer(text: string, question: DreamQuestion, isCut: boolean): string {
  const rows = text.slice(0, TEXT_LENGTH_MAX).split(/\r\n|\r|\n/u);
  const bullets = rows.map((row) => row.replace(NUMBER, '$1- '));
  const sections = sectionsOf(bullets.filter((row) => !FENCE_ROW.test(row)));
  if (sections.memory === null) return '';
  const ids = idsByLabel(question);
  const isWhole = sections.dream !== null && !isCut;
  const lines = readMemoryRows(sections.memory).map((line): AnsweredLine => {
    const cited = citedText(oneLine(line.text));
    const sources = cited.labels.map((label) => ids.get(label) ?? `unknown source ${label}`);
    return { heading: line.heading, text: cited.text, sources };
  });
  const last = lines.at(-1);
  // The last line of an answer that broke off may be incomplete.
  const isHalf = !isWhole && sections.dream === null && last?.sources.length === 0;
  return dreamAnswerText({
    lines: isHalf ? lines.slice(0, -1) : lines,
    diary: readMemoryRows(sections.dream ?? []).map((line) => citedText(oneLine(line.text)).text),
    isWhole,
  });
}

interface Sections {
  readonly memory: readonly string[] | null;
  readonly dream: readonly string[] | null;
}

/** Returns the first `[MEMORY]`, and the first `[DREAM]` after it. */
function sectionsOf(rows: readonly string[]): Sections {
  const begin = rows.findIndex((row) => sectionOf(row)?.name === 'MEMORY');
  if (begin < 0) return { memory: null, dream: null };
  const end = rows.findIndex((row, at) => at > begin && sectionOf(row)?.name === 'DREAM');
  const memory = [sectionOf(rows[begin] ?? '')?.rest ?? ''];
  memory.push(...rows.slice(begin + 1, end < 0 ? undefined : end));
  if (end < 0) return { memory, dream: null };
  return { memory, dream: [sectionOf(rows[end] ?? '')?.rest ?? '', ...rows.slice(end + 1)] };
}

/** Reads a row that begins with the name of a section; a row with a bullet is a line. */
function sectionOf(row: string): { readonly name: string; readonly rest: string } | null {
  const found = SECTION.exec(row);
  return found === null ? null : { name: (found[1] ?? '').toUpperCase(), rest: found[2] ?? '' };
}
