/** The operation that takes messages and keeps the lasting statements that they make. */
import { addMessages } from '../extraction.ts';
import { AddMessages, AddMessagesAnswer } from '../schemas/extraction.ts';
import { operation } from './operation.ts';

/** Part of the group `memory`. */
export const memoryExtraction = {
  addMessages: operation({
    name: 'memory.addMessages',
    kind: 'mutation',
    summary:
      'Keeps what messages say that lasts: preferences, facts about the user, decisions, who ' +
      'owns what, dates. Each is compared with what its scope knows, and a correction ends what ' +
      'it corrects. By rules, without a model; what is in doubt is left out.',
    input: AddMessages,
    output: AddMessagesAnswer,
    example: {
      input: {
        tenant: 'acme',
        identifiers: { userId: 'dana' },
        messages: [{ id: 'turn-9', role: 'user', content: 'I moved from Lyon to Berlin.' }],
      },
      output: {
        results: [
          {
            event: 'SUPERSEDE',
            id: '019aa5c2-7c1e-7b52-9f0e-6a1f0b1583cb',
            text: 'I moved from Lyon to Berlin.',
            supersedes: ['019aa5c0-1a2b-7b52-9f0e-6a1f0b1583cb'],
            kind: 'Self',
            layer: 'user',
            source: 'turn-9',
          },
        ],
      },
    },
    role: 'write',
    cost: 'embeddings',
    errors: ['MISSING_IDENTIFIER', 'CONFLICT'],
    commands: { none: 'Messages come from programs that talk; the CLI imports and asks.' },
    run: addMessages,
  }),
};
