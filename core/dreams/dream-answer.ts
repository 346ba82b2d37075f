/**
 * The text of a dream, as a `DreamModel` returns it and a store keeps it: two sections, each line a
 * bullet or a heading. The ids of a line's sources follow a tab. The text of a line never has a
 * tab, so that no text that somebody said can cite.
 *
 *     [MEMORY]
 *     ## Preferences
 *     - Ann prefers tea.<TAB>0199…,0199…
 *     [DREAM]
 *     - One preference was added.
 */
import { VarveError } from '../errors.ts';
import { LINE_SOURCES_MAX, LINES_PER_DOCUMENT_MAX } from '../records/document.ts';
import { oneLine } from '../text/lines.ts';
import { withoutFormatCharacters } from '../text/hidden-characters.ts';

const MEMORY = '[MEMORY]';
const DREAM = '[DREAM]';

/** Maximum lines of a diary that a model writes; further lines are ignored. */
const MODEL_DIARY_LINES_MAX = 50;
/** Maximum lines of a new MEMORY.md; above its own limit, so that an excess can be reported. */
const ANSWER_LINES_MAX = 2 * LINES_PER_DOCUMENT_MAX;

export interface DreamAnswer {
  readonly lines: readonly AnsweredLine[];
  /** The model's own words about its dream: data that never supports a line. */
  readonly diary: readonly string[];
  /** False if the end is missing: lines that are not there may only have been cut off. */
  readonly isWhole: boolean;
}

export interface AnsweredLine {
  readonly heading: string | null;
  readonly text: string;
  /** Ids of sources. If a model cited something unknown, this has an id that no source has. */
  readonly sources: readonly string[];
}

export function dreamAnswerText({ lines, diary, isWhole }: DreamAnswer): string {
  let heading: string | null = null;
  const rows: string[] = [];
  for (const line of lines) {
    const text = oneLine(line.text);
    if (text === '') continue;
    if (line.heading !== heading) rows.push(`## ${oneLine(line.heading ?? '')}`.trim());
    heading = line.heading;
    const cited = line.sources.map((id) => oneLine(id).replaceAll(',', ' '));
    rows.push(`- ${text}${cited.length === 0 ? '' : `\t${cited.join(',')}`}`);
  }
  const end = isWhole ? [DREAM, ...diary.map((text) => `- ${oneLine(text)}`)] : [];
  return [MEMORY, ...rows, ...end].join('\n');
}

/** @throws VarveError MODEL_OUTPUT_INVALID if there is no section `[MEMORY]` */
export function readDreamAnswer(text: string): DreamAnswer {
  const rows = text.split('\n');
  const begin = rows.indexOf(MEMORY);
  if (begin < 0) {
    throw new VarveError('MODEL_OUTPUT_INVALID', 'The model answered without a [MEMORY] section.', {
      details: { characters: text.length },
    });
  }
  const end = rows.indexOf(DREAM, begin);
  const lines: AnsweredLine[] = [];
  let heading: string | null = null;
  for (const row of rows.slice(begin + 1, end < 0 ? undefined : end)) {
    if (lines.length >= ANSWER_LINES_MAX) break;
    if (row.startsWith('##')) heading = withoutFormatCharacters(row.slice(2)).trim() || null;
    else if (row.startsWith('- ')) lines.push({ heading, ...answeredLine(row.slice(2)) });
  }
  const diary = end < 0 ? [] : rows.slice(end + 1, end + 1 + MODEL_DIARY_LINES_MAX);
  return {
    lines: lines.filter((line) => line.text !== ''),
    diary: diary.flatMap((row) => oneLine(withoutFormatCharacters(row.replace(/^- /u, ''))) || []),
    isWhole: end >= 0,
  };
}

function answeredLine(row: string): Pick<AnsweredLine, 'text' | 'sources'> {
  const [text = '', cited = ''] = row.split('\t');
  const ids = cited.split(',').filter((id) => id !== '');
  return { text: text.trim(), sources: [...new Set(ids)].slice(0, LINE_SOURCES_MAX) };
}
