import { startTestMongodb } from '/work/main/test/cluster/test-mongodb.ts';
const m = await startTestMongodb();
console.log(m.uri ?? m);
await new Promise((r) => setTimeout(r, 150000));
await m[Symbol.asyncDispose]?.();
