/** Reads a prompt by its markers alone, as core/prompt/summary-prompt.ts documents them. */

export interface PromptSource {
  readonly label: string;
  /** As the prompt names it: `2026-11-03`. */
  readonly day: string;
  readonly speaker: string | null;
  readonly text: string;
}

export interface PromptItem {
  readonly label: string;
  readonly task: 'Extract' | 'Remember' | 'Select';
  readonly layer: string;
  readonly tokensMax: number;
  readonly reader: string | null;
  readonly sources: readonly PromptSource[];
}

const HEAD =
  /^Item (i\d+): (Extract|Remember|Select), ([a-z]+) layer, at most (\d+) tokens\.(?: .*)?\n/u;
const TODAY = /^Today is \d{4}-\d{2}-\d{2}\.\n\n/u;
const FIRST_LINE = /^<([0-9a-f]+) (?:reader|sources) of /u;
const ORIGIN = /^(s\d+) \((\d{4}-\d{2}-\d{2})\)(?: (".*"))?(?: untrusted)?$/u;

/** @throws Error where the text is no prompt */
export function readPrompt(user: string): readonly PromptItem[] {
  const items: PromptItem[] = [];
  for (let rest = user.replace(TODAY, ''); rest !== '';) {
    const { item, end } = readItem(rest);
    items.push(item);
    rest = rest.slice(end).replace(/^\n\n/u, '');
  }
  return items;
}

function readItem(text: string): { item: PromptItem; end: number } {
  const [head = '', label = '', task, layer = '', tokensMax] = HEAD.exec(text) ?? [];
  const marker = FIRST_LINE.exec(text.slice(head.length))?.[1] ?? '';
  const close = `\n<${marker} end of ${label}>`;
  const closed = text.indexOf(close);
  if (head === '' || marker === '' || closed < 0) throw new Error('The prompt has no such item.');
  const parts = `\n${text.slice(head.length, closed)}`.split(`\n<${marker} `).slice(1);
  const named = parts.map((part) => {
    const lineEnd = part.indexOf('\n');
    const name = lineEnd < 0 ? part : part.slice(0, lineEnd);
    return { name: name.slice(0, -1), text: lineEnd < 0 ? '' : part.slice(lineEnd + 1) };
  });
  const item: PromptItem = {
    label,
    task: task === 'Select' || task === 'Remember' ? task : 'Extract',
    layer,
    tokensMax: Number(tokensMax),
    reader: named.find(({ name }) => name.startsWith('reader of '))?.text ?? null,
    sources: named.flatMap(sourceOf),
  };
  return { item, end: closed + close.length };
}

function sourceOf({ name, text }: { name: string; text: string }): readonly PromptSource[] {
  const [, label, day = '', speaker] = ORIGIN.exec(name) ?? [];
  if (label === undefined) return [];
  return [{ label, day, speaker: speaker === undefined ? null : said(speaker), text }];
}

function said(speaker: string): string {
  return String(JSON.parse(speaker));
}
