import { describe, expect, it } from 'vitest';

import { createLog } from '#providers/node/log.ts';
import { createPlatform, createNewId } from '#providers/node/platform.ts';

import { platformConformance } from './platform-conformance.ts';

platformConformance('Node', () => createPlatform());

describe('ids', () => {
  it('PLATFORM-3: ids keep their order when the clock stands still or is set back', () => {
    const times = [5, 5, 3, 3, 9];
    const newId = createNewId({ clock: () => times.shift() ?? 2 });
    const ids = Array.from({ length: 10_000 }, () => newId());
    expect(ids).toEqual(ids.toSorted());
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('log', () => {
  function linesOf(write: (log: ReturnType<typeof createLog>) => void): unknown[] {
    const lines: string[] = [];
    const log = createLog({ level: 'info', destination: { write: (line) => lines.push(line) } });
    write(log);
    return lines.map((line) => JSON.parse(line) as unknown);
  }

  it('LOG-1: a line has level, time, fields and message, from the given level on', () => {
    const lines = linesOf((log) => {
      log.debug({ tenant: 'acme' }, 'too quiet');
      log.warn({ tenant: 'acme', tokens: 5 }, 'loud enough');
    });
    expect(lines).toEqual([
      {
        level: 'warn',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        tenant: 'acme',
        tokens: 5,
        msg: 'loud enough',
      },
    ]);
  });

  it('LOG-2: memory text and secrets are redacted at any depth, in errors as well', () => {
    const failure = Object.assign(new Error('failed', { cause: { authorization: 'hush' } }), {
      details: { token: 'hush', id: 'm-1' },
    });
    const fields = {
      content: 'hush',
      items: [{ Text: 'hush', at: 1 }],
      call: { key: 'hush', secret: 'hush', deep: { a: { b: { c: { d: { e: 'hush' } } } } } },
      failure,
    };
    const [line] = linesOf((log) => log.error(fields, 'message'));
    expect(JSON.stringify(line)).not.toContain('hush');
    expect(line).toMatchObject({
      items: [{ at: 1 }],
      failure: { name: 'Error', message: 'failed', details: { id: 'm-1' } },
    });
  });
});
