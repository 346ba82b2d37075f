/** A dream over a few lines and blocks, planned without a model. */
import { dreamAnswerText, type AnsweredLine } from '#core/dreams/dream-answer.ts';
import { makeProposal, type ProposalParts } from '#core/dreams/make-proposal.ts';
import { DEFAULT_DREAM } from '#core/policy/policy-defaults.ts';
import { dreamQuestion } from '#core/dreams/dream-sources.ts';
import { MEMORY_TOKENS_MAX } from '#core/dreams/memory-md-size.ts';
import type { DreamQuestion } from '#core/ports/dream-model.ts';
import type { TokenCounter } from '#core/ports/token-counter.ts';
import type { Document, DocumentLine } from '#core/records/document.ts';
import { digest } from '#test/conformance/samples.ts';
import { AT, blockOf, idsFrom, lineOf } from '../memory-files/tier-samples.ts';

/** Words, so that tests can count them. */
export const WORDS: TokenCounter = {
  name: 'words',
  count: (text) => text.match(/\S+/gu)?.length ?? 0,
};

export const BASE: readonly DocumentLine[] = [
  lineOf('m1', 'Ann prefers tea.', { heading: 'Taste', at: AT - 3_000 }),
  lineOf('m2', 'Bob lives in Oslo.', { at: AT - 2_000 }),
  lineOf('m3', 'The launch is on 3 May 2027.', { at: AT - 1_000, sources: [] }),
  lineOf('m4', 'Cy leads search.', { at: AT - 4_000 }),
];
export const BLOCKS: readonly Document[] = [
  blockOf('b1', ['Ann prefers coffee now.', 'Dee joined the team on 1 November 2026.']),
  blockOf('b2', ['The build costs 40 EUR a month.'], { version: 2, at: AT + 1_000 }),
];

export function questionOf(
  memory: readonly DocumentLine[],
  fresh: readonly Document[],
  known: readonly Document[] = [],
): DreamQuestion {
  const tools = { digest, tokens: WORDS, tokensMax: MEMORY_TOKENS_MAX };
  return dreamQuestion({ owner: 'user', memory, fresh, known }, tools);
}

export const says = (
  text: string,
  sources: readonly string[] = [],
  heading: string | null = null,
): AnsweredLine => ({ heading, text, sources });

/** All lines of a MEMORY.md as they are. */
export const keeps = (lines: readonly DocumentLine[]): readonly AnsweredLine[] =>
  lines.map(({ text, heading }) => says(text, [], heading));

export interface Dreamt extends Partial<Omit<ProposalParts, 'answer'>> {
  readonly answer: readonly AnsweredLine[] | string;
  readonly diaryText?: readonly string[];
  readonly isWhole?: boolean;
}

export function dreamt({
  answer,
  diaryText = ['Some lines changed.'],
  isWhole = true,
  ...given
}: Dreamt) {
  const { base = BASE, blocks = BLOCKS } = given;
  const text =
    typeof answer === 'string'
      ? answer
      : dreamAnswerText({ lines: answer, diary: diaryText, isWhole });
  return makeProposal(
    {
      question: questionOf(base, blocks),
      tombstones: [],
      guards: DEFAULT_DREAM,
      leftBlocks: 0,
      unreadLines: 0,
      ...given,
      base,
      blocks,
      answer: text,
    },
    { newId: idsFrom('n'), digest, tokens: WORDS, at: AT + 9_000 },
  );
}

export const textsOf = (lines: readonly DocumentLine[]) => lines.map(({ text }) => text);
