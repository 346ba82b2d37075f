/** Brings a memory into the form in which those of one answer, or of one scope, are compared. */
import { dayOf } from '../../text/day.ts';
import { inFirstPerson } from '../../extraction/statement.ts';
import { once } from '../../once.ts';
import type { TextAnalyzer } from '../../ports/text-analyzer.ts';
import type { Memory } from '../../records/memory.ts';
import type { SaidAt } from '../../said-at.ts';
import type { ComparedMemory } from './outdated-memories.ts';
import { recallTerms } from '../words/recall-terms.ts';

/**
 * Returns the memory as it is compared. One of a user says what the user would say: `Dana lives in
 * Lyon` of the user `dana` is ended by `I moved to Berlin`.
 * @param now when the answer is given, by the asker's clock
 */
export function comparedMemory(
  { id, layer, scopeId, trust, content: written, validFrom }: Memory,
  analyzer: TextAnalyzer,
  now?: SaidAt,
): ComparedMemory {
  const content = layer === 'user' ? inFirstPerson(written, [scopeId]) : written;
  const terms = once(() => new Set(recallTerms(analyzer, content)));
  const today = now === undefined ? undefined : dayOf(now);
  return { id, layer, trust, content, at: validFrom, today, terms };
}
