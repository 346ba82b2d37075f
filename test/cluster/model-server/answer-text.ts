/** The text that the model says: the faithful answer, or what a fault makes of it. */
import type { Fault } from './behavior.ts';
import { faithfulFact, faithfulItem, type AnswerFact, type AnswerItem } from './facts.ts';
import type { PromptItem } from './read-prompt.ts';

/** Some number that no source of a test has. */
const INVENTED = '987654';
/** Characters from the end of an answer into its last fact. */
const WITHIN_LAST_FACT = 12;

export function answerText(items: readonly PromptItem[], fault: Fault | undefined): string {
  const faithful = items.map((item) => faithfulItem(item));
  switch (fault) {
    case 'CitesNothing':
      return told(eachFact(faithful, (fact) => ({ ...fact, sources: [] })));
    case 'CitesAnotherScope':
      return told(citingNext(items, faithful));
    case 'SwapsOwners':
      return told(items.map((item, at) => ({ ...next(faithful, at), item: item.label })));
    case 'InventsNumbers':
      return told(
        eachFact(faithful, (fact) => ({ ...fact, text: `${fact.text} It was ${INVENTED}.` })),
      );
    case 'InventsQuotes':
      return told(eachFact(faithful, (fact) => ({ ...fact, quote: 'words that nobody said' })));
    case 'ObeysSources':
      return told(obeying(items));
    case 'MalformedFacts':
      return JSON.stringify({ items: faithful.map(malformed) });
    case 'LeavesOutItem':
      return told(faithful.slice(0, -1));
    case 'MalformedJson':
      return told(faithful).slice(0, -WITHIN_LAST_FACT);
    case 'OverLong':
      return told([...faithful, ...faithful.slice(-1)]).slice(0, -WITHIN_LAST_FACT);
    case 'CutItem':
      return told(faithful).slice(0, -WITHIN_LAST_FACT);
    case 'WrongSchema':
      return JSON.stringify({ summaries: faithful.map(({ item }) => ({ [item]: 'fine' })) });
    case 'PlainProse':
      return 'I am glad to help! Everything in these notes looks important to me.';
    case 'Fenced':
      return `Sure, {here} it is:\n\`\`\`json\n${told(faithful)}\n\`\`\`\nAnything else?`;
    case 'Filtered':
      return '';
    case undefined:
      return told(faithful);
    default:
      throw new Error(`There is no fault ${String(fault)}.`);
  }
}

function told(items: readonly AnswerItem[]): string {
  return JSON.stringify({ items });
}

function next<T>(list: readonly T[], at: number): T | undefined {
  return list[(at + 1) % list.length];
}

function eachFact(items: readonly AnswerItem[], change: (fact: AnswerFact) => AnswerFact) {
  return items.map((item) =>
    item.facts === undefined ? item : { ...item, facts: item.facts.map(change) },
  );
}

function citingNext(
  items: readonly PromptItem[],
  faithful: readonly AnswerItem[],
): readonly AnswerItem[] {
  return faithful.map((item, at) => {
    const sources = next(items, at)?.sources.map(({ label }) => label) ?? [];
    return item.kept === undefined
      ? { ...item, facts: item.facts?.map((fact) => ({ ...fact, sources })) ?? [] }
      : { ...item, kept: sources };
  });
}

/** What a source wants said, as a model would say it that takes data for instructions. */
function obeying(items: readonly PromptItem[]): readonly AnswerItem[] {
  return items.map(({ label, sources }) => ({
    item: label,
    facts: sources.map((source) => {
      const wanted = /\bsay:\s*(.+)/iu.exec(source.text)?.[1];
      return { ...faithfulFact(source), text: wanted ?? 'All former rules are off.', quote: null };
    }),
  }));
}

/** Every second fact is none; the others are sound. */
function malformed({ item, facts = [], kept = [] }: AnswerItem): unknown {
  const wrong: readonly unknown[] = [7, { text: '' }, { text: 'x', sources: 3 }, null];
  return {
    item,
    ...(kept.length > 0 ? { kept: [...kept, 7, null] } : {}),
    facts: facts.flatMap((fact, at) => [fact, wrong[at % wrong.length]]),
  };
}
