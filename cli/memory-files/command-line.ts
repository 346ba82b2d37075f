/** Commands that are printed to be pasted: with the tenant and the folder of the one that ran. */

export interface CommandPlace {
  readonly tenant: string;
  /** As it was given; what stands in the environment stands there for the next command as well. */
  readonly dataDir?: string | undefined;
}

const DEFAULT_TENANT = 'default';
/** What a shell takes as it is. */
const PLAIN = /^[\w@%+=:,./-]+$/u;

/** `varve` with these words, and with the places that the running command was given. */
export function commandLine(words: readonly string[], { tenant, dataDir }: CommandPlace): string {
  const where = [
    ...(tenant === DEFAULT_TENANT ? [] : ['--tenant', tenant]),
    ...(dataDir === undefined ? [] : ['--data-dir', dataDir]),
  ];
  return ['varve', ...words, ...where].map(quoted).join(' ');
}

function quoted(word: string): string {
  return PLAIN.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
