/** Plain text for people: headings, wrapped and shortened lines, figures. */
import { styleText } from 'node:util';

/** Lines are kept to what most terminals show. */
export const LINE_WIDTH = 100;

/** Colours only where somebody looks at a terminal. */
export function bold(text: string): string {
  return styleText('bold', text, { stream: process.stdout });
}

export function dim(text: string): string {
  return styleText('dim', text, { stream: process.stdout });
}

export function heading(text: string): string {
  return `\n${bold(text)}`;
}

/** Wraps at spaces with an indent; a word longer than a line stays whole. */
export function wrapped(text: string, indent: string): string {
  const lines: string[] = [];
  let line = indent;
  for (const word of text.split(/\s+/u)) {
    if (line.length + word.length + 1 > LINE_WIDTH && line.trim() !== '') {
      lines.push(line);
      line = indent;
    }
    line += line === indent ? word : ` ${word}`;
  }
  return [...lines, line].join('\n');
}

/** One line of at most `width` characters; what is left out shows as `…`. */
export function shortened(text: string, width: number): string {
  const line = text.replaceAll(/\s+/gu, ' ').trim();
  const characters = Array.from(line);
  return characters.length <= width ? line : `${characters.slice(0, width - 1).join('')}…`;
}

/** Ids differ at their ends; the first digits of a UUIDv7 are the time. */
export function shortId(id: string): string {
  return id.length > 12 ? `…${id.slice(-8)}` : id;
}

export function count(number: number, noun: string): string {
  const plural = noun.endsWith('y') ? `${noun.slice(0, -1)}ies` : `${noun}s`;
  return `${String(number)} ${number === 1 ? noun : plural}`;
}

/** Micro-dollars as dollars. */
export function dollars(microDollars: number): string {
  return `$${(microDollars / 1_000_000).toFixed(microDollars % 10_000 === 0 ? 2 : 6)}`;
}
