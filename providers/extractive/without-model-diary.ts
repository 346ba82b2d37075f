/** What a dream without a model says of itself. Pure. */

export interface ReportWithoutModel {
  /** Lines of the new blocks that were read. */
  readonly readLines: number;
  /** Statements of them that MEMORY.md had already. */
  readonly known: number;
  /** Lines that came to MEMORY.md, and how many older ones they took the place of. */
  readonly added: number;
  readonly replaced: number;
  readonly stayed: number;
}

/** What came of how many lines; where it was not all, where the rest is to be found. */
export function withoutModelDiary(told: ReportWithoutModel): readonly string[] {
  const { readLines, known, added, replaced, stayed } = told;
  const lines = counted(readLines, 'line');
  const came = `${String(added)} of ${lines} that were read came to MEMORY.md`;
  const inPlace = replaced === 0 ? '' : `, in the place of ${counted(replaced, 'older one')}`;
  const there = known === 0 ? '' : ` ${counted(known, 'statement')} stood there already.`;
  const left =
    added + known >= readLines
      ? []
      : ['What did not come to MEMORY.md stays in the daily files, and no later dream reads it.'];
  return [`${came}${inPlace}.${there} ${counted(stayed, 'line')} stayed.`, ...left];
}

function counted(number: number, noun: string): string {
  return `${String(number)} ${noun}${number === 1 ? '' : 's'}`;
}
