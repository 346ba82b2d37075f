/** A plain tRPC server with the same procedures: they read the input and answer at once. */
import { answerParent } from './server.ts';
import { startPlainServer } from './plain-server.ts';

let answers: Readonly<Record<string, unknown>> = {};
const url = await startPlainServer((name) => answers[name]);
answerParent((message) => {
  if (message.kind === 'Answers') answers = message.answers;
  return Promise.resolve();
});
process.send?.({ kind: 'Ready', url, key: 'none', plainUrl: null, atOnceUrl: null });
