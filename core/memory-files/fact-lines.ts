/**
 * Writes the facts of a model as the lines of a daily file, which name who says what, as the lines
 * that rules write do: `assistant: You live in Berlin.`, `user: “I moved to Oslo.”`. A line of a
 * list has its number: `user: (2) No jokes.`
 */
import { foldedText } from '../grounding/comparable-text.ts';
import type { Confirms } from '../grounding/doubt.ts';
import { groundEach } from '../grounding/grounding.ts';
import type { Fact } from '../records/summary.ts';
import type { Source } from '../sources/source.ts';
import { quotedLine } from '../text/quoted-line.ts';
import { speakerLabel } from '../text/speaker-label.ts';
import { ownSources } from '../extraction/model-statements.ts';
import { isOfUser } from '../extraction/statements-and-corrections.ts';
import { linesOf } from '../text/lines.ts';

/**
 * Returns each fact with its speaker in front where a reader would take it for somebody else's. A
 * fact that stands only in a text which its speaker passes on is quoted.
 */
export function attributedFacts(
  facts: readonly Fact[],
  sources: readonly Source[],
  confirms: Confirms,
): readonly Fact[] {
  const own = ownSources(sources);
  const isOne = new Set(sources.map(({ speaker }) => speaker)).size === 1;
  const isChanged = ({ id, text }: Source): boolean => own.get(id)?.text !== text;
  const changed = new Set(sources.filter(isChanged).map(({ id }) => id));
  const isQuoted = (fact: Fact): boolean =>
    fact.sources.some((id) => changed.has(id)) &&
    groundEach([fact], own, { confirms })[0]?.reason !== null;
  return facts.map((fact) => {
    const source = tellerOf(fact, sources);
    const speaker = source?.speaker ?? '';
    const prefix = speakerLabel(speaker);
    if (fact.text.startsWith(prefix)) return fact;
    if (isQuoted(fact)) return { ...fact, text: quotedLine(speaker, fact.quote ?? fact.text) };
    const { role } = source ?? {};
    // The facts of a model mostly name whoever has a name.
    const isClear = speaker === role ? isOne : !isOfUser(fact.text);
    return role !== 'assistant' && isClear ? fact : { ...fact, text: `${prefix}${fact.text}` };
  });
}

/** Returns the cited source that has the fact's quote; else one of the assistant, if cited. */
function tellerOf({ quote, sources: ids }: Fact, sources: readonly Source[]): Source | undefined {
  const cited = sources.filter(({ id }) => ids.includes(id));
  const said = foldedText(quote ?? '');
  return (
    cited.find(({ text }) => said !== '' && foldedText(text).includes(said)) ??
    cited.find(({ role }) => role === 'assistant') ??
    cited[0]
  );
}

const SPOKEN = /^(?:[^:：\n]{1,256}[:：] )?/u;
const ITEM = /^\s*(?<number>\d{1,3})[.)]\s+(?<text>\S.*)$/u;

/**
 * Returns a line with the list number that its sentence has in the message: `user: (2) No jokes.`
 * @param line a sentence of the message, optionally after its speaker
 */
export function withListNumber(line: string, message: string): string {
  const speaker = SPOKEN.exec(line)?.[0] ?? '';
  for (const before of new Set([speaker, ''])) {
    const said = line.slice(before.length);
    const item = linesOf(message)
      .map((each) => ITEM.exec(each)?.groups)
      .find((each) => each?.['text']?.startsWith(said));
    // A stop after the number would end a sentence, and a single bracket would begin a list.
    if (item !== undefined && said !== '') return `${before}(${item['number'] ?? ''}) ${said}`;
  }
  return line;
}
