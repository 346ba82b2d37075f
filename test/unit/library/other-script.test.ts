/** A search finds nothing in another script only because it stands beside a hit. */
import { expect, test } from 'vitest';
import { newTenant, sharedLibrary } from './open-library.ts';

const library = sharedLibrary();
const identifiers = { userId: 'ann' };

test.each([
  ['What is my cat called?', 'I have a cat called Mia.', '我住在大阪。'],
  ['What is my cat called?', 'My cat is called Luna.', '我上周在大阪的公司开始了一份新的工作。'],
  ['Wie heißt meine Katze?', 'Meine Katze heißt Mia.', 'Я живу в Москве и работаю в школе.'],
  ['我的猫叫什么？', '我的猫叫咪咪。', 'I moved to Osaka last week and started a new job.'],
])('%s finds "%s" alone, and not "%s"', async (query, content, other) => {
  const tenant = newTenant();
  const turns = [content, other].map((text) => ({ role: 'user' as const, content: text }));
  const { varve } = library();
  await varve.conversation.append({ tenant, sessionId: 's', identifiers, turns });
  const { hits } = await varve.memory.search({ tenant, identifiers, query });
  expect(hits.map(({ text }) => text)).toEqual([content]);
});
