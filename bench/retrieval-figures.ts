/** How well questions were answered, as figures. */
import { QUESTIONS } from '#core/search/calibration-sentences.ts';

import type { Meeting } from './meetings.ts';
import { HITS, type System } from './retrieval-systems.ts';

export interface Figures {
  readonly questions: number;
  /** Share of the turns of the evidence among the first ten, mean over questions. */
  readonly recall: number;
  /** The same, of ten turns where the evidence has more: no answer could hold them all. */
  readonly recallOfTen: number;
  /** Mean of one over the rank of the first turn of the evidence. */
  readonly reciprocalRank: number;
  /** Share of questions without any answer. */
  readonly empty: number;
  /** The same of the questions of another meeting, and of questions about none. */
  readonly emptyOther: number;
  readonly emptyUnrelated: number;
}

/** How many meetings on the one is whose questions are asked too. */
const OTHER_MEETING = 7;

export async function figuresOf(system: System, meetings: readonly Meeting[]): Promise<Figures> {
  const answers: { readonly hits: readonly number[]; readonly evidence: ReadonlySet<number> }[] =
    [];
  const other: (readonly number[])[] = [];
  const unrelated: (readonly number[])[] = [];
  for (const [place, { turns, questions }] of meetings.entries()) {
    const ask = await system.open(turns);
    const found = await ask(questions.map(({ text }) => text));
    for (const [at, { evidence }] of questions.entries()) {
      answers.push({ hits: found[at] ?? [], evidence });
    }
    const foreign = meetings[(place + OTHER_MEETING) % meetings.length]?.questions ?? [];
    other.push(...(await ask(foreign.map(({ text }) => text))));
    unrelated.push(...(await ask(QUESTIONS)));
  }
  return {
    questions: answers.length,
    recall: mean(answers.map(({ hits, evidence }) => shared(hits, evidence) / evidence.size)),
    recallOfTen: mean(
      answers.map(({ hits, evidence }) => shared(hits, evidence) / Math.min(HITS, evidence.size)),
    ),
    reciprocalRank: mean(
      answers.map(({ hits, evidence }) => {
        const first = hits.findIndex((hit) => evidence.has(hit));
        return first < 0 ? 0 : 1 / (first + 1);
      }),
    ),
    empty: emptyShare(answers.map(({ hits }) => hits)),
    emptyOther: emptyShare(other),
    emptyUnrelated: emptyShare(unrelated),
  };
}

function shared(hits: readonly number[], evidence: ReadonlySet<number>): number {
  return hits.filter((hit) => evidence.has(hit)).length;
}

function emptyShare(answers: readonly (readonly number[])[]): number {
  return mean(answers.map((hits) => Number(hits.length === 0)));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}
