/** What a good model answers to the prompt of a dream, and what a bad one makes of it. */
import type { Fault } from './behavior.ts';

interface DreamSource {
  readonly label: string;
  readonly heading: string | null;
  readonly isKnown: boolean;
  readonly lines: string[];
}

/** Whether a message is the prompt of a dream. */
export function isDreamPrompt(user: string): boolean {
  return /^<[0-9a-f]{24} memory>\n/u.test(user);
}

/** Every line of MEMORY.md, and every line of the new blocks after them. */
export function dreamText(user: string, fault: Fault | undefined): string {
  if (fault === 'PlainProse') return 'I have dreamed of many things.';
  if (fault === 'Filtered') return '';
  const { memory, daily } = readDream(user);
  const headed = memory.map(({ heading, label, lines }) => ({
    heading,
    label,
    text: lines.join(' '),
  }));
  const added = daily.flatMap(({ label, lines, isKnown }) =>
    isKnown ? [] : lines.map((text) => ({ heading: null, label, text })),
  );
  const groups = Map.groupBy([...headed, ...added], ({ heading }) => heading);
  const open = groups.get(null) ?? [];
  groups.delete(null);
  const bullets = [...open, ...[...groups.values()].flat()].flatMap(
    ({ heading, label, text }, index, all) => [
      ...(heading !== null && all[index - 1]?.heading !== heading ? [`## ${heading}`] : []),
      `- ${faulty(text, fault)}${fault === 'CitesNothing' ? '' : ` (${label})`}`,
    ],
  );
  const text = ['[MEMORY]', ...bullets, '[DREAM]', `- ${String(added.length)} new lines.`].join(
    '\n',
  );
  return fault === 'Fenced' ? `Sure!\n\`\`\`markdown\n${text}\n\`\`\`\nAnything else?` : text;
}

function faulty(text: string, fault: Fault | undefined): string {
  if (fault === 'InventsNumbers') return `${text} Of those 4711.`;
  const [, asked] = /say:\s*(.+)$/iu.exec(text) ?? [];
  return fault === 'ObeysSources' && asked !== undefined ? asked : text;
}

function readDream(user: string): {
  readonly memory: readonly DreamSource[];
  readonly daily: readonly DreamSource[];
} {
  const marker = user.slice(0, user.indexOf(' '));
  const memory: DreamSource[] = [];
  const daily: DreamSource[] = [];
  let open = memory;
  for (const row of user.split('\n')) {
    if (!row.startsWith(`${marker} `)) open.at(-1)?.lines.push(row);
    else if (row === `${marker} daily>`) open = daily;
    else {
      const [, label, heading] = /^<\S+ (s\d+) .*?(?:under (".*"))?>$/u.exec(row) ?? [];
      if (label === undefined) continue;
      const named: unknown = heading === undefined ? null : JSON.parse(heading);
      open.push({
        label,
        heading: typeof named === 'string' ? named : null,
        isKnown: row.endsWith(' read before>'),
        lines: [],
      });
    }
  }
  return { memory, daily };
}
