/** The three prompts of a running summary, and a function that fills their placeholders. */
import { PYTHON_PREFIX } from './running-summary.ts';

/** Asks for the first summary; follows the messages. */
export const INITIAL_SUMMARY_PROMPT = 'Create a summary of the conversation above:';
/** Asks for a later summary; `{existing_summary}` is the current one. */
export const EXISTING_SUMMARY_PROMPT =
  'This is the summary of what came before:\n\n{existing_summary}\n\n' +
  'Extend this summary with the new messages above:';
/** What the agent's model reads instead of the messages; `{summary}` is the summary. */
export const FINAL_PROMPT = `${PYTHON_PREFIX}{summary}`;

/** Fills a template in one pass, so that inserted text is never read as a template. */
export function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{(\w+)\}/gu, (whole, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? whole) : whole,
  );
}

/** Returns the summary in a message made by `fillTemplate(finalPrompt, …)`, or else all of it. */
export function summaryIn(text: string, finalPrompt: string): string {
  const [head = '', tail] = finalPrompt.split('{summary}');
  if (tail === undefined || !text.startsWith(head) || !text.endsWith(tail)) return text;
  return text.slice(head.length, text.length - tail.length);
}
