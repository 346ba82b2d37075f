/** The three prompts of a running summary and how their places are filled. */
import { PYTHON_PREFIX } from './running-summary.ts';

/** Asks for the first summary; follows the messages. */
export const INITIAL_SUMMARY_PROMPT = 'Create a summary of the conversation above:';
/** Asks for a later one; `{existing_summary}` is the one there is. */
export const EXISTING_SUMMARY_PROMPT =
  'This is the summary of what came before:\n\n{existing_summary}\n\n' +
  'Extend this summary with the new messages above:';
/** What the model of the agent reads in place of the messages; `{summary}` is the summary. */
export const FINAL_PROMPT = `${PYTHON_PREFIX}{summary}`;

/** Fills a template in one pass: what is filled in is never read as a template itself. */
export function filled(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{(\w+)\}/gu, (whole, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? whole) : whole,
  );
}

/** The summary that a message made by `filled(finalPrompt, …)` holds, or its whole text. */
export function summaryIn(text: string, finalPrompt: string): string {
  const [head = '', tail] = finalPrompt.split('{summary}');
  if (tail === undefined || !text.startsWith(head) || !text.endsWith(tail)) return text;
  return text.slice(head.length, text.length - tail.length);
}
