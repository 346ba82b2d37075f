import type { DocumentAnswer } from '#api/operations/documents.ts';
/** A file that is longer than one answer, put together. */

/** Answers of one file; each has a million characters. */
const ANSWERS_MAX = 100;
/** What every answer begins with: the title of the file and an empty line. */
const TITLE = /^# .*\n\n?/u;

/** Null where there is none. */
export async function wholeFile(
  read: (after: number) => Promise<DocumentAnswer | null>,
): Promise<DocumentAnswer | null> {
  const first = await read(0);
  if (first === null) return null;
  const texts = [first.text];
  const lines = [...first.lines];
  let { outdatedLines } = first;
  let last = first;
  for (let answers = 1; last.nextAfter !== null && answers < ANSWERS_MAX; answers += 1) {
    const next = await read(last.nextAfter);
    if (next === null) break;
    texts.push(next.text.replace(TITLE, ''));
    lines.push(...next.lines);
    outdatedLines += next.outdatedLines;
    last = next;
  }
  return { ...last, text: texts.join('\n'), lines, outdatedLines };
}
