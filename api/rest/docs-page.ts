/** `/docs`: every resource path with its parameters and an example, made from the same table. */
import { escaped, page, table, words } from './html.ts';
import { inputSchema, type JsonSchema } from './input.ts';
import { parametersOf, ROUTES, type Route } from './routes.ts';

export const DOCS_PATH = '/docs';

let made: string | undefined;

/** HTML; the same table gives the same page. */
export function docsPage(): string {
  made ??= page('REST', [
    '<h1>REST</h1>',
    '<p>Send the token of the installation as <code>Authorization: Bearer …</code>. Generators of ',
    'clients read <a href="/openapi.json">/openapi.json</a>; <a href="/errors">/errors</a> says ',
    'what to do about each code.</p>',
    table(
      ['Path', 'What it does'],
      ROUTES.map((route) => ({ cells: [linked(route), words(route.operation.summary)] })),
    ),
    ...ROUTES.map(section),
  ]);
  return made;
}

function linked({ name, method, path }: Route): string {
  return `<a href="#${name}"><code>${method} ${escaped(path)}</code></a>`;
}

function section(route: Route): string {
  const { name, method, path, operation } = route;
  const inPath = new Set(parametersOf(route));
  const isQuery = method === 'GET' || method === 'DELETE';
  const { properties = {}, required = [] } = inputSchema(route);
  const rows = Object.entries(properties).map(([field, schema]) => {
    const place = inPath.has(field) ? 'path' : isQuery ? 'query' : 'body';
    const must = inPath.has(field) || required.includes(field) ? 'yes' : '';
    const cells = [`<code>${field}</code>`, place, must, escaped(typeOf(schema))];
    return { cells: [...cells, words(schema.description ?? '')] };
  });
  return [
    `<section id="${name}"><h3><code>${method} ${escaped(path)}</code></h3>`,
    `<p>${words(operation.summary)}</p>`,
    rows.length === 0 ? '' : table(['Field', 'In', 'Required', 'Type', 'Meaning'], rows),
    `<p>Input, and the answer:</p>${example(operation.example.input)}`,
    `${example(operation.example.output)}</section>`,
  ].join('\n');
}

function example(value: unknown): string {
  return value === undefined ? '' : `<pre>${escaped(JSON.stringify(value, null, 2))}</pre>`;
}

function typeOf(schema: JsonSchema): string {
  if (schema.type !== undefined) return schema.type;
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(' or ');
  return schema.$ref?.split('/').at(-1) ?? 'any';
}
