/** `varve keys`: manages who may call the API of an installation, for whom, and how long. */
import { OPERATIONS } from '#api/operations/table.ts';
import { parseDuration } from '#core/duration.ts';
import { VarveError } from '#core/errors.ts';
import type { Config } from '../config.ts';
import { renderTable } from '../terminal-text.ts';
import { layerFromOption, type LayerIds } from '../shared-command-options.ts';
import { print, type TenantOptions } from '../memory-files/memory-file-options.ts';
import { answerTo, commandOf, commandWith, inputFromOptions } from '../operation-input.ts';

/** Identifiers are given by the options of their layers: `--user ann`. */
interface CreateKeyOptions extends TenantOptions, LayerIds {
  readonly name: string;
  readonly onlyLayer?: readonly string[];
  readonly expires?: string;
}

/** @throws VarveError INVALID_INPUT naming the wrong option, CONFLICT for too many keys */
export async function createKeyCommand(config: Config, options: CreateKeyOptions): Promise<void> {
  const { tenant, name, onlyLayer, expires } = options;
  const asked = inputFromOptions(OPERATIONS.key.create, options, {
    layers: onlyLayer?.map(layerFromOption),
    ...(expires === undefined ? {} : { expiresAt: expiryFrom(expires, Date.now()) }),
  });
  const answer = await answerTo(config, OPERATIONS.key.create, asked, { begins: true });
  const said = `${answer.key}\n`;
  if (options.json === true) print(answer, null);
  else {
    process.stdout.write(said);
    process.stderr.write(
      `varve: this is the key ${name} of ${tenant}, with the role ${answer.role}. ` +
        `It is shown only this once; varve keys revoke ${answer.id} --tenant ${tenant} ends it.\n`,
    );
  }
}

export const listKeysCommand = commandOf(OPERATIONS.key.list, ({ keys }, { tenant }) => {
  const head = ['id', 'name', 'role', 'speaks for', 'layers', 'ends'];
  const rows = keys.map(({ id, name, role, identifiers, layers, expiresAt, hasExpired }) => {
    const bound = Object.entries(identifiers).map(([field, value]) => `${field} ${value}`);
    const end = expiresAt === null ? 'never' : new Date(expiresAt).toISOString();
    return [
      id,
      name,
      role,
      bound.length === 0 ? 'anybody' : bound.join(', '),
      layers?.join(', ') ?? 'all',
      hasExpired ? `expired ${end}` : end,
    ];
  });
  const none = `${tenant} has no keys; varve keys create makes one.`;
  return rows.length === 0 ? none : renderTable(head, rows);
});

export const revokeKeyCommand = commandWith(
  'id',
  OPERATIONS.key.revoke,
  () => 'Revoked. From the next call on, Varve refuses this key.',
);

/** Parses a duration from now, or a point in time. */
export function expiryFrom(text: string, now: number): number {
  const duration = parseDuration(text);
  const end = duration === null ? Date.parse(text) : now + duration;
  // `Date.parse` would read a bare number as a year.
  if (Number.isSafeInteger(end) && !/^\d+$/u.test(text)) return end;
  const hint = /^\d+$/u.test(text) ? ` Did you mean ${text}d?` : '';
  const message =
    '--expires takes a duration or a date, such as 90d or 2027-01-31T00:00:00Z, not ' +
    `"${text}".${hint}`;
  throw new VarveError('INVALID_INPUT', message);
}
