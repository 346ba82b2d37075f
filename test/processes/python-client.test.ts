/**
 * The Python client against a running server. Python is optional: without it, this file says so.
 */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { pythonOperations } from '#api/print-python-client.ts';
import { readProjectFile, ROOT } from '#test/tidy/source-file.ts';
import { serveApi, TOKEN } from '#test/unit/api/served-api.ts';
import { shared } from '#test/shared-fixture.ts';

const SOURCES = path.join(ROOT, 'clients', 'python', 'src');
const LEAST = 'import sys; sys.exit(sys.version_info < (3, 10))';
const hasPython = spawnSync('python3', ['-c', LEAST]).status === 0;
if (!hasPython) process.stderr.write('no Python 3.10 or newer: its client is not tested here\n');

const api = shared(serveApi);

/** Runs a program whose last line prints JSON. */
async function python(program: string, url = api().url): Promise<unknown> {
  const file = path.join(await mkdtemp(path.join(api().folder, 'program-')), 'program.py');
  await writeFile(file, program);
  const path3 = { PYTHONPATH: SOURCES, PYTHONDONTWRITEBYTECODE: '1' };
  const env = { ...process.env, ...path3, VARVE_API_URL: url, VARVE_API_TOKEN: TOKEN };
  const { stdout } = await promisify(execFile)('python3', [file], { env });
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? 'null') as unknown;
}

const OPEN = `
import json, os
from datetime import datetime, timedelta, timezone
from varve import Varve, VarveError
def client(**more):
    return Varve(os.environ["VARVE_API_URL"], os.environ["VARVE_API_TOKEN"], tenant="acme", **more)
varve = client()
ann = {"userId": "ann"}
nested = []
for _ in range(100_000):
    nested = [nested]
def append(turns):
    varve.conversation.append(session_id="python", identifiers=ann, turns=turns)
`;

const ADD_NOTE = 'varve.memory.add(layer="user", identifiers=ann, content="Ann knits."';

/** Calls that the client refuses before it sends anything. */
const REFUSED: readonly (readonly [what: string, call: string])[] = [
  ['an invalid address', 'Varve("localhost:7420", "t")'],
  ['an empty token', 'Varve("http://localhost:7420", "")'],
  ['an unset variable', 'Varve("http://localhost:7420", os.environ.get("NOT_SET"))'],
  ['an address without a host', 'Varve("http://", "t")'],
  ['an address that is no text', 'Varve(7420, "t")'],
  ['an address with words as its port', 'Varve("http://localhost:api", "t")'],
  ['too many retries', 'client(retries=11)'],
  ['a text as retries', 'client(retries="3")'],
  ['a text as timeout', 'client(timeout="30")'],
  ['an empty id', 'varve.memory.get(id="")'],
  ['a time without an offset', `${ADD_NOTE}, at=datetime(2026, 3, 2))`],
  ['a value that JSON does not have', `${ADD_NOTE}, tags={"a"})`],
  ['a number that JSON does not have', `${ADD_NOTE}, metadata={"size": float("nan")})`],
  ['a key that JSON does not have', `${ADD_NOTE}, metadata={("a", "b"): 1})`],
  ['a value that is nested without end', `${ADD_NOTE}, metadata={"a": nested})`],
  ['half a character in an id', 'varve.memory.get(id="\\ud83d")'],
  ['half a character in a query', 'varve.memory.list(cursor="\\ud83d")'],
  ['a text in place of turns', 'append(turns="x")'],
  ['one turn in place of turns', 'append(turns={"role": "user", "content": "x"})'],
  ['a text in place of a turn', 'append(turns=[{"role": "user", "content": "x"}, "x"])'],
  ['a number in place of turns', 'append(turns=5)'],
];
/** Calls with another kind of argument, and how what it says of them contains and ends. */
const TOLD: readonly (readonly [words: string, end: string, call: string])[] = [
  ['turns: expected a list of turns, such as [{', ', found str', 'append(turns="x")'],
  ['turns[1]: expected a list', ', found int', 'append(turns=[{"role": "user"}, 5])'],
  ['messages: expected a list', '', 'varve.memory.add_messages(messages="x")'],
  ['memories: expected a list', '', 'varve.memory.bulk_add(memories="x")'],
  ['filter: ', '', 'varve.memory.search(query="x", filter="x")'],
  ['tags: expected a list', '', 'varve.memory.search(query="x", tags="x")'],
  ['identifiers: expected an object', '', 'varve.memory.search(query="x", identifiers="ann")'],
  ['identifiers: expected JSON', '', 'varve.memory.list(identifiers="ann")'],
];
const TOKENS = ['hush\\nhush', 'hush\\n', 'hush hush', 'hush\\u2028'];
const openedWith = (token: string): string => `Varve("http://localhost:7420", "${token}")`;

type Outcome = readonly [code: string, status: number, message: string];

/** How each call fails; one program makes them all. */
async function outcomesOf(calls: readonly string[]): Promise<ReadonlyMap<string, Outcome>> {
  const program = `${OPEN}
def outcome(call):
    try:
        call()
    except VarveError as error:
        return [error.code, error.status, str(error)]
print(json.dumps([outcome(call) for call in [
    ${calls.map((call) => `lambda: ${call},`).join('\n    ')}
]]))`;
  const outcomes = (await python(program)) as readonly Outcome[];
  return new Map(calls.map((call, at) => [call, outcomes[at] ?? ['none', 0, '']]));
}

test('_operations.py matches the table of operations; npm run docs:api writes it', () => {
  const committed = readProjectFile('clients/python/src/varve/_operations.py').text;
  expect(committed).toBe(pythonOperations());
});

describe.skipIf(!hasPython)('the Python client', () => {
  let outcomes: ReadonlyMap<string, Outcome>;
  beforeAll(async () => {
    const told = TOLD.map(([, , call]) => call);
    const refused = REFUSED.map(([, call]) => call);
    outcomes = await outcomesOf([...refused, ...told, ...TOKENS.map(openedWith)]);
  });

  test('API-02: stores, reads, lists, finds, and deletes over REST', async () => {
    const answer = await python(`${OPEN}
porto = "Ann lives in Porto."
added = varve.memory.add(layer="user", identifiers=ann, content=porto, tags=["a, b"])
id = added["memory"]["id"]
varve.memory.update(id=id, content="Ann lives in Braga.")
listed = varve.memory.list(identifiers=ann, tags=["a, b"])
found = varve.memory.search(identifiers=ann, query="Where does Ann live? Braga")
varve.conversation.append(session_id="a/b ä", identifiers=ann,
    turns=[{"role": "user", "content": "My dentist is Dr. Lima."}])
context = varve.context.assemble(identifiers={**ann, "sessionId": "other"},
    query="Who is my dentist?", max_tokens=500)
varve.memory.delete(id=id)
print(json.dumps([
    [each["content"] for each in listed["memories"]],
    found["hits"][0]["text"],
    "Dr. Lima" in context["text"],
    varve.memory.get(id=id),
    varve.health()["ok"],
]))`);
    const text = 'Ann lives in Braga.';
    expect(answer).toEqual([[text], text, true, null, true]);
  });

  test('an aware datetime is sent as a time with its offset, in a body and in a query', async () => {
    const answer = await python(`${OPEN}
at = datetime(2026, 3, 2, 9, 30, tzinfo=timezone(timedelta(hours=2)))
memory = ${ADD_NOTE}, at=at)["memory"]
varve.conversation.append(session_id="s", identifiers=ann,
    turns=[{"role": "user", "content": "I knit.", "at": at}])
turn = varve.conversation.messages(session_id="s")["messages"][0]
later = datetime.now(timezone.utc) + timedelta(days=1)
entries = varve.audit.list(since=later)["entries"]
print(json.dumps([memory["validFrom"], turn["at"], len(entries)]))`);
    const at = Date.parse('2026-03-02T09:30:00+02:00');
    expect(answer).toEqual([at, at, 0]);
  });

  test('raises a VarveError with code, status, and details', async () => {
    const answer = await python(`${OPEN}
try:
    varve.memory.add(layer="session", identifiers=ann, content="x")
except VarveError as error:
    print(json.dumps([error.code, error.status, error.retryable, error.details["identifier"]]))`);
    expect(answer).toEqual(['MISSING_IDENTIFIER', 400, false, 'sessionId']);
  });

  test('a body above the limit of the server is refused as too long, without a retry', async () => {
    const answer = await python(`${OPEN}
def code_of(count):
    try:
        append([{"role": "user", "content": "x" * 250_000} for _ in range(count)])
    except VarveError as error:
        return [error.code, error.retryable]
print(json.dumps([code_of(20), code_of(60), code_of(120)]))
`);
    expect(answer).toEqual(Array.from({ length: 3 }, () => ['CONTENT_TOO_LONG', false]));
  });

  test('None as the ids of turns deletes no session; without them, it goes', async () => {
    const answer = await python(`${OPEN}
varve.conversation.append(session_id="kept", identifiers=ann,
    turns=[{"id": "t1", "role": "user", "content": "Ann knits."}])
try:
    varve.conversation.delete(session_id="kept", turn_ids=None)
    refused = None
except VarveError as error:
    refused = [error.code, str(error)]
kept = len(varve.conversation.messages(session_id="kept")["messages"])
print(json.dumps([refused, kept, varve.conversation.delete(session_id="kept")["deleted"]]))`);
    expect(answer).toEqual([
      ['INVALID_INPUT', expect.stringContaining('turn_ids is None')],
      1,
      ['t1'],
    ]);
  });

  test('a key that was used with another body is refused without a retry', async () => {
    const answer = await python(`${OPEN}
def add(content):
    varve.memory.add(layer="user", identifiers=ann, content=content, idempotency_key="used")
add("Ann plays the cello.")
varve = client(retries=0)
try:
    add("Ann plays the flute.")
except VarveError as error:
    print(json.dumps([error.code, error.status, error.retryable]))`);
    expect(answer).toEqual(['CONFLICT', 409, false]);
  });

  test.each(REFUSED)('%s is refused before any request is sent', (_, call) => {
    expect(outcomes.get(call)).toMatchObject(['INVALID_INPUT', 0, expect.any(String)]);
  });

  test.each(TOLD)('another kind of argument is told: %s…%s', (words, end, call) => {
    const [code, , message = ''] = outcomes.get(call) ?? [];
    expect(code).toBe('INVALID_INPUT');
    expect(message).toContain(words);
    expect(message.endsWith(end)).toBe(true);
  });

  test('a generator of turns is appended like a list', async () => {
    const answer = await python(`${OPEN}
append(turns=({"role": "user", "content": each} for each in ("I knit.", "I sing.")))
print(json.dumps([each["content"] for each in
    varve.conversation.messages(session_id="python")["messages"]]))`);
    expect(answer).toEqual(['I knit.', 'I sing.']);
  });

  test('an answer that is cut in its middle is read again', async () => {
    let asked = 0;
    const cut = createServer((_, response) => {
      asked += 1;
      if (asked > 1) {
        response.end('{"ok": true}');
        return;
      }
      response.writeHead(200, { 'content-length': '40' });
      response.write('{"ok":', () => response.destroy());
    });
    await new Promise<void>((resolve) => cut.listen(0, '127.0.0.1', resolve));
    const { port } = cut.address() as { port: number };
    const program = `${OPEN}print(json.dumps(varve.health()))`;
    const answer = await python(program, `http://127.0.0.1:${String(port)}`);
    cut.close();
    expect([answer, asked]).toEqual([{ ok: true }, 2]);
  });

  test.each(TOKENS)('the invalid token "%s" is refused and not shown', (token) => {
    const [code, , message] = outcomes.get(openedWith(token)) ?? [];
    expect(code).toBe('INVALID_INPUT');
    expect(message).toMatch(/^(?!.*hush).*token has a/u);
  });

  test('retries a keyed write with the same key, and follows no redirect', async () => {
    const keys: string[] = [];
    const flaky = createServer((request, response) => {
      let body = '';
      request.on('data', (part: Buffer) => (body += part.toString()));
      request.on('end', () => {
        if (request.method === 'GET') {
          response.writeHead(302, { location: `${api().url}/v1/health` }).end();
          return;
        }
        keys.push((JSON.parse(body) as { idempotencyKey: string }).idempotencyKey);
        if (keys.length === 1) request.socket.destroy();
        else if (keys.length === 2) response.writeHead(503, { 'retry-after': '0' }).end();
        else response.end('{"memory": {"id": "m"}}');
      });
    });
    await new Promise<void>((resolve) => flaky.listen(0, '127.0.0.1', resolve));
    const { port } = flaky.address() as { port: number };
    const answer = await python(
      `${OPEN}
memory = varve.memory.add(layer="user", identifiers=ann, content="Once.")["memory"]
try:
    varve.health()
except VarveError as error:
    print(json.dumps([memory["id"], error.status, error.code]))`,
      `http://127.0.0.1:${String(port)}`,
    );
    flaky.close();
    expect(answer).toEqual(['m', 302, 'INVALID_INPUT']);
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
  });

  test('follows the events of a server, and continues after a cut connection', async () => {
    const real = await python(`${OPEN}
for microDollars in (1, 2):
    varve.budget.grant(micro_dollars=microDollars, reason="test")
first = varve.event.list()["events"][0]["id"]
print(json.dumps(next(varve.follow(after=first))["attributes"]["microDollars"]))`);
    expect(real).toBe(2);
    const asked: (string | undefined)[] = [];
    const cut = createServer((request, response) => {
      asked.push(request.headers['last-event-id']?.toString());
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const ids = asked.length === 1 ? ['1'] : ['1', '2'];
      const lines = ids.map((id) => `id: ${id}\ndata: {"id":"${id}"}\n\n`).join('');
      response.write(lines, () => request.socket.destroy());
    });
    await new Promise<void>((resolve) => cut.listen(0, '127.0.0.1', resolve));
    const { port } = cut.address() as { port: number };
    const program = `${OPEN}
events = varve.follow()
print(json.dumps([next(events)["id"], next(events)["id"]]))`;
    const got = await python(program, `http://127.0.0.1:${String(port)}`);
    cut.close();
    expect([got, asked]).toEqual([
      ['1', '2'],
      [undefined, '1'],
    ]);
  });

  test('the example in its README runs unchanged', async () => {
    const page = readProjectFile('clients/python/README.md').text;
    const [, sample = ''] = /```python\n([\s\S]+?)```/u.exec(page) ?? [];
    const answer = await python(`${sample}
import json
print(json.dumps(context["text"]))`);
    expect(answer).toContain('I moved to Braga in May.');
  });

  test('every type hint can be resolved', async () => {
    const hints = `${OPEN}
import typing
from varve import _operations as made
classes = [each for each in vars(made).values() if getattr(each, "__module__", "") == made.__name__]
for each in classes:
    typing.get_type_hints(each)
    for method in vars(each).values():
        if callable(method): typing.get_type_hints(method)
print(json.dumps(len(classes)))`;
    expect(await python(hints)).toBeGreaterThan(80);
  });
});
