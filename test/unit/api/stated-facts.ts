/** Facts that a test's model states about the messages it was sent. */
import type { PromptSource } from '#test/cluster/model-server/read-prompt.ts';

export type Answer = (sources: readonly PromptSource[]) => readonly object[];

export const HOME = 'Well, the new place in Berlin is finally ours, so goodbye Lyon.';
export const FOUND = 'The new place in Berlin is finally ours.';

/** Facts that a model states, each with a kind; cited is the message whose text has the quote. */
export function stating(
  ...facts: readonly { text: string; quote?: string; kind?: string }[]
): Answer {
  return (sources) =>
    facts.map(({ text, quote = text, kind = 'Self' }) => {
      const from = sources.find((each) => each.text.includes(quote.slice(0, -1)));
      return { text, quote, kind, sources: [from?.label ?? 's1'], speaker: null, replaces: [] };
    });
}

export const FINDS_HOME = stating({
  text: FOUND,
  quote: 'the new place in Berlin is finally ours',
});
