/**
 * A MongoDB for another program, or a person: prints its address as its only line, or nothing but
 * what is missing on stderr, and ends with its standard input.
 */
import { once } from 'node:events';

import { missingForMongodb, startTestMongodb } from '../test-mongodb.ts';

const missing = await missingForMongodb();
if (missing === null) {
  await using server = await startTestMongodb();
  process.stdout.write(`${server.uri}\n`);
  process.stdin.resume();
  await once(process.stdin, 'end');
} else {
  process.stderr.write(`missing: ${missing}\n`);
}
