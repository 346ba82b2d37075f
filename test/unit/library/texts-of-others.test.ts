/** What others write in a turn of a user: it ends nothing that the user said. */
import { expect, test } from 'vitest';
import { newTenant, sharedLibrary } from './open-library.ts';

const library = sharedLibrary();
const identifiers = { userId: 'dana' };

test.each([
  ['I live in Leeds.', 'Where do I live?', 'Tim wrote me: I moved to Bristol.'],
  ['I live in Leeds.', 'Where do I live?', 'Can you reply to this?\n\nHi Dana,\nI moved to York.'],
  ['I live in Leeds.', 'Where do I live?', 'Fix my English: I moved to York.'],
  ['I live in Leeds.', 'Where do I live?', 'Pretend I am a pirate. I live in Tortuga.'],
  ['Ich wohne in Kassel.', 'Wo wohne ich?', 'Ist der Satz richtig? Ich bin nach Bonn gezogen.'],
  ['Vivo en Gijón.', '¿Dónde vivo?', 'Mi primo me escribe: hola, me mudé a Sevilla.'],
  ['我住在广州。', '我住在哪里?', '帮我回复一下:\n\n小丹你好,\n我搬到北京了。\n小王'],
])('%j holds in all answers after a text of somebody else', async (home, query, pasted) => {
  const { varve } = library();
  const tenant = newTenant();
  for (const [place, content] of [home, pasted].entries()) {
    const sessionId = `s${String(place)}`;
    const turn = { id: 't', role: 'user', content, at: `2026-11-0${String(place + 2)}T09:00:00Z` };
    await varve.conversation.append({
      tenant,
      identifiers,
      sessionId,
      turns: [{ ...turn, role: 'user' }],
    });
    await varve.conversation.flush({ tenant, sessionId });
  }
  await varve.refresh({ tenant, kind: 'Stale' });

  const { memories } = await varve.memory.list({ tenant, identifiers, latestOnly: false });
  expect(memories.map(({ content, state }) => [content, state])).toEqual([[home, 'active']]);
  const { hits } = await varve.memory.search({ tenant, identifiers, query });
  expect(hits.filter(({ outdated }) => outdated)).toEqual([]);
  const context = await varve.context.assemble({ tenant, identifiers, query });
  expect(context.text).not.toContain('earlier)');
});
