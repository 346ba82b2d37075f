/** A process that searches once, leaves everything open, and prints the number of hits. */
import { NOW, userScope } from '#test/conformance/samples.ts';

import { openFile } from './search-fixture.ts';

const [file = ''] = process.argv.slice(2);
const { search } = await openFile({ file });
const conditions = { now: NOW, latestOnly: true, tags: [], filter: null, kind: null };
const query = { conditions, terms: ['tea'], vectors: [], limit: 10 };
const { candidates } = await search.search(userScope('acme'), query);
process.stdout.write(String(candidates.length));
