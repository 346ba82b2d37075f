/** Brings a memory into the form in which those of one answer, or of one scope, are compared. */
import { inFirstPerson } from '../extraction/statement.ts';
import { once } from '../once.ts';
import type { TextAnalyzer } from '../ports/text-analyzer.ts';
import type { Memory } from '../records/memory.ts';
import type { ComparedMemory } from './outdated-memories.ts';
import { recallTerms } from './recall-terms.ts';

/**
 * Returns the memory as it is compared. One of a user says what the user would say: `Dana lives in
 * Lyon` of the user `dana` is ended by `I moved to Berlin`.
 */
export function comparedMemory(
  { id, layer, scopeId, trust, content: written, validFrom }: Memory,
  analyzer: TextAnalyzer,
): ComparedMemory {
  const content = layer === 'user' ? inFirstPerson(written, [scopeId]) : written;
  const terms = once(() => new Set(recallTerms(analyzer, content)));
  return { id, layer, trust, content, at: validFrom, terms };
}
