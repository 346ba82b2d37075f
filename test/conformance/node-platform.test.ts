import { describe, expect, it } from 'vitest';

import { createLog } from '#providers/node/log.ts';
import { createPlatform, createNewId } from '#providers/node/platform.ts';
import type { Platform } from '#core/ports/platform.ts';

platformConformance('Node', () => createPlatform());

describe('ids', () => {
  it('PLATFORM-3: ids stay in order if the clock stops or is set back', () => {
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

  it('LOG-1: a log line has level, time, fields, and message, from the given level on', () => {
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

  it('LOG-2: memory text and secrets are redacted at any depth, also in errors', () => {
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

const IDS = 20_000;
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

function platformConformance(name: string, open: () => Platform): void {
  describe(`the platform of ${name}`, () => {
    it('PLATFORM-1: the clock counts milliseconds since the epoch', () => {
      const { clock } = open();
      expect(Math.abs(clock() - Date.now())).toBeLessThan(1_000);
    });

    it('PLATFORM-2: the digest is the lowercase hexadecimal SHA-256 of UTF-8 text', () => {
      const { digest } = open();
      expect(digest('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
      expect(digest('é')).toBe('4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c');
    });

    it('PLATFORM-3: ids are UUIDs of version 7 and sort in order of creation', () => {
      const { newId } = open();
      const ids = Array.from({ length: IDS }, () => newId());
      expect(new Set(ids).size).toBe(IDS);
      expect(ids).toEqual(ids.toSorted());
      expect(ids.filter((id) => !UUID_V7.test(id))).toEqual([]);
    });

    it('PLATFORM-4: an id begins with its creation time', () => {
      const { newId, clock } = open();
      const time = Number.parseInt(newId().replaceAll('-', '').slice(0, 12), 16);
      expect(Math.abs(time - clock())).toBeLessThan(1_000);
    });
  });
}
