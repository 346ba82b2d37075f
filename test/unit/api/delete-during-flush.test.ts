/** If a turn is deleted while its session is flushed, no memory of it stays. */
import { describe, expect, test } from 'vitest';
import { LOCAL_OPERATOR } from '#api/principal.ts';
import { libraryOf, type Library } from '#api/library.ts';
import { apiPortsOf, openParts } from '#cli/composition-root.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import type { MemoryProvider } from '#core/ports/memory-provider.ts';
import { NO_REFRESH_TRIGGER } from '#core/ports/refresh-trigger.ts';
import { temporaryFolder } from '#test/conformance/sqlite-adapter.ts';

const session = { tenant: 'acme', sessionId: 'monday' };
const identifiers = { userId: 'dana' };
const turns = [
  { id: 'a', role: 'user' as const, content: 'My bike is a blue Gazelle.' },
  { id: 'b', role: 'user' as const, content: 'I live in Zyxtown.' },
];

/** Calls of the provider during which the deletion happens, as a part of the call. */
const MOMENTS: Record<
  string,
  (add: () => Promise<unknown>, erase: () => Promise<unknown>) => Promise<unknown>
> = {
  'before the memory is written': async (add, erase) => {
    await erase();
    return add();
  },
  'after the memory is written': async (add, erase) => {
    const written = await add();
    await erase();
    return written;
  },
  'while the memory is written': async (add, erase) => {
    const [written] = await Promise.all([add(), erase()]);
    return written;
  },
};

describe.each(Object.entries(MOMENTS))('conversation.delete %s', (_, during) => {
  test.each([{ turnIds: ['b'] }, {}])('leaves no memory of a deleted turn: %j', async (which) => {
    await using folder = await temporaryFolder();
    await using parts = await openParts({ dataDir: folder.folder, log: SILENT_LOG });
    const done: { varve?: Library; isDeleted: boolean } = { isDeleted: false };
    const erase = async () => {
      if (done.isDeleted) return;
      done.isDeleted = true;
      await done.varve?.conversation.delete({ ...session, ...which });
    };
    const add: MemoryProvider['add'] = async (tenant, memory, options) => {
      const write = () => parts.provider.add(tenant, memory, options);
      const isOfTurn = typeof memory !== 'function' && memory.content.includes('Zyxtown');
      return (isOfTurn ? during(write, erase) : write()) as ReturnType<MemoryProvider['add']>;
    };
    const provider: MemoryProvider = { ...parts.provider, add };
    const varve = libraryOf(
      apiPortsOf({ ...parts, provider }, NO_REFRESH_TRIGGER, null),
      LOCAL_OPERATOR,
    );
    done.varve = varve;
    await varve.conversation.append({ ...session, identifiers, turns });
    await varve.conversation.flush(session);
    expect(done.isDeleted).toBe(true);
    const { memories } = await varve.memory.list({ tenant: 'acme', identifiers });
    expect(memories.filter(({ content }) => content.includes('Zyxtown'))).toEqual([]);
    const asked = { tenant: 'acme', identifiers, query: 'Where do I live?' };
    expect((await varve.context.assemble(asked)).text).not.toContain('Zyxtown');
  });
});
