/**
 * Writes the types of every call by name, with the words of the table as documentation:
 * `npm run docs:api`. The compiler could derive these types from the schemas, but an editor then
 * shows each one in full, without a name that a caller can import.
 */
import { z } from 'zod';
import { LAYERS } from '#core/layer.ts';
import type { AnyOperation } from './operations/operation.ts';
import { namedOperations, NOT_OVER_HTTP } from './operations/table.ts';
import { pascal } from './rest/openapi.ts';

/** The parts of a JSON Schema from which a type is made. */
interface Schema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly propertyNames?: Schema;
  readonly required?: readonly string[];
}

interface NamedType {
  readonly name: string;
  /** From `=` or `{` on. */
  readonly body: string;
  readonly comment: readonly string[];
  /** Files whose types use it. */
  readonly groups: Set<string>;
  /** Names of the types that it refers to. */
  readonly uses: ReadonlySet<string>;
}

const FOLDER = 'api/calls/';
/** Types that a JSON Schema cannot express, by field, and where the sources declare them. */
const DECLARED: Readonly<Record<string, { readonly name: string; readonly from: string }>> = {
  filter: { name: 'Filter', from: '#core/search/filter.ts' },
};
/** Groups with so many types that inputs and answers have files of their own. */
const SPLIT = new Set(['memory']);
/** The group of types that several groups use, and of operations without a group. */
const [SHARED, ROOT] = ['shared', 'installation'];
const LINE_MAX = 100;
/** Types that many operations share, under the name of their field. */
const BY_FIELD = new Set(['identifiers', 'subject', 'trust']);

/** Returns the files by their paths; the same table gives the same bytes. */
export function callTypes(): ReadonlyMap<string, string> {
  const types = new TypeNames();
  const members = new Map<string, string[]>();
  for (const [name, operation] of namedOperations()) {
    const [group = '', method] = name.split('.');
    const key = method === undefined ? ROOT : group;
    const lines = members.get(key) ?? [];
    lines.push(...memberOf(name, operation, types));
    members.set(key, lines);
  }
  types.spread();
  const groups = [...members.keys()];
  const files = [...groups, ...types.others(groups)];
  const texts = files.map((file) => {
    const lines = members.get(file);
    const title = file === ROOT ? 'Calls about the installation' : `Calls of \`${file}\``;
    const head = `/** ${title}. */\nexport interface ${pascal(file)}Calls {`;
    const calls = lines === undefined ? [] : [head, ...lines, '}'];
    return [pathOf(file), fileOf(types, file, [...types.of(file), ...calls])] as const;
  });
  return new Map([...texts, [pathOf('library'), libraryOf(groups, files)]]);
}

/** Types of inputs that are not those of calls: the fields of each schema, by the type's name. */
export type FieldsByName = Readonly<
  Record<string, { readonly schema: z.ZodType; readonly without: readonly string[] }>
>;

/** Returns the text of a file that declares each type, and the types of its fields. */
export function inputTypes(file: string, wanted: FieldsByName): string {
  const types = new TypeNames();
  for (const [name, { schema, without }] of Object.entries(wanted)) {
    const { properties = {}, ...rest } = schemaOf(schema, 'input');
    const fields = Object.entries(properties).filter(([field]) => !without.includes(field));
    const shape = { ...rest, properties: Object.fromEntries(fields) };
    types.whole(shape, { group: file, call: name, end: 'Input' }, name);
  }
  return fileOf(types, file, types.of(file));
}

const HEAD = '/** Made from the schemas by `npm run docs:api`; change the schemas. */\n';

function pathOf(file: string): string {
  return `${FOLDER}${file}.generated.ts`;
}

function fileOf(types: TypeNames, file: string, parts: readonly string[]): string {
  const text = parts.join('\n').trimEnd();
  const imports = types.importedBy(file, text).map(([from, names]) => {
    const lines = names.map((name) => `  ${name},\n`).join('');
    return `import type {\n${lines}} from './${from}.generated.ts';\n`;
  });
  const declared = Object.values(DECLARED)
    .filter(({ name }) => new RegExp(`: ${name}\\b`, 'u').test(text))
    .map(({ name, from }) => `import type { ${name} } from '${from}';\n`);
  return `${HEAD}${[...declared, ...imports].join('')}\n${text}\n`;
}

function libraryOf(groups: readonly string[], files: readonly string[]): string {
  const own = groups.filter((group) => group !== ROOT);
  const unserved = Object.keys(NOT_OVER_HTTP).map(literal).join(' | ');
  return [
    HEAD,
    ...groups.map(
      (group) => `import type { ${pascal(group)}Calls } from './${group}.generated.ts';`,
    ),
    '',
    ...Object.values(DECLARED).map(({ name, from }) => `export type { ${name} } from '${from}';`),
    ...files.map((file) => `export type * from './${file}.generated.ts';`),
    '',
    '/** Every operation as a method, such as `memory.add(input)`. */',
    `export interface Library extends ${pascal(ROOT)}Calls {`,
    ...own.map((group) => `  readonly ${group}: ${pascal(group)}Calls;`),
    '}',
    '',
    '/** The operations that a network interface offers. */',
    `export type ServedLibrary = Omit<Library, ${unserved}>;`,
    '',
  ].join('\n');
}

/** Returns the lines of a call in the interface of its group. */
function memberOf(name: string, operation: AnyOperation, types: TypeNames): readonly string[] {
  const [group = '', method] = name.split('.');
  const place = { group: method === undefined ? ROOT : group, call: pascal(name) };
  const input = types.whole(schemaOf(operation.input, 'input'), { ...place, end: 'Input' });
  const output = types.whole(schemaOf(operation.output, 'output'), { ...place, end: 'Output' });
  const isOptional = operation.input.safeParse(undefined).success;
  const head = `  readonly ${method ?? group}: `;
  const call = `(input${isOptional ? '?' : ''}: ${input}) => Promise<${output}>;`;
  const line = `${head}${call}`;
  return [
    ...comment(operation.summary, '  '),
    ...(line.length <= LINE_MAX ? [line] : [head.trimEnd(), `    ${call}`]),
  ];
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Schema {
  return z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Schema;
}

interface Place {
  readonly group: string;
  /** The call in Pascal case, such as `MemoryAdd`. */
  readonly call: string;
  readonly end: 'Input' | 'Output';
}

/** A type expression; `isUnion` if it needs parentheses in a list. */
interface Expression {
  readonly text: string;
  readonly isUnion?: boolean;
}

/** Makes types and gives each a name; equal objects of a call share one. */
class TypeNames {
  readonly #types = new Map<string, NamedType>();
  /** Names used by the type that is being made. */
  #used = new Set<string>();

  /** Names the whole input or answer of a call. */
  whole(schema: Schema, place: Place, name = `${place.call}${place.end}`): string {
    for (const [id, shape] of Object.entries(schema.$defs ?? {})) this.#shape(id, shape, place);
    return this.#object(name, schema, place, true) ?? this.#alias(name, schema, place);
  }

  /** Lists the files of types that are not those of a group. */
  others(groups: readonly string[]): readonly string[] {
    const homes = new Set([...this.#types.values()].map(homeOf));
    return [...homes].filter((home) => !groups.includes(home)).toSorted();
  }

  /** Lists the declarations of a group, in the order in which they were made. */
  of(group: string): readonly string[] {
    return [...this.#types.values()]
      .filter((type) => homeOf(type) === group)
      .map(({ name, body, comment: words }) => {
        const kind = body.startsWith('{') ? 'interface' : 'type';
        return [...words, `export ${kind} ${name} ${body}`, ''].join('\n');
      });
  }

  /** Lists the names in a text that are declared elsewhere, by file. */
  importedBy(file: string, text: string): readonly (readonly [string, readonly string[]])[] {
    const code = text.replaceAll(/\/\*\*.*?\*\//gsu, '');
    const used = [...this.#types.values()].filter(
      (type) => homeOf(type) !== file && new RegExp(`[^'\\w]${type.name}\\b`, 'u').test(code),
    );
    return [...Map.groupBy(used, homeOf)].map(
      ([home, types]) => [home, types.map(({ name }) => name).toSorted()] as const,
    );
  }

  /** Passes the groups of each type on to the types that it uses. */
  spread(): void {
    const open = [...this.#types.values()];
    for (let type = open.pop(); type !== undefined; type = open.pop()) {
      for (const used of [...type.uses].flatMap((name) => this.#types.get(name) ?? [])) {
        const missing = type.groups.difference(used.groups);
        for (const group of missing) used.groups.add(group);
        if (missing.size > 0) open.push(used);
      }
    }
  }

  #note(name: string, place: Place): string {
    this.#types.get(name)?.groups.add(fileFor(place));
    this.#used.add(name);
    return name;
  }

  #shape(id: string, shape: Schema, place: Place): void {
    if (this.#types.has(id)) return;
    // Registered before it is made, so that a recursive type ends.
    this.#add(id, '= unknown', { shape, groups: new Set([fileFor(place)]), uses: new Set() });
    if (this.#object(id, shape, place, true) === null) this.#alias(id, shape, place, true);
  }

  #add(
    name: string,
    body: string,
    about: { shape: Schema; groups: Set<string>; uses: ReadonlySet<string> },
  ): void {
    const { shape, groups, uses } = about;
    const words = shape.description === undefined ? [] : comment(shape.description, '');
    this.#types.set(name, { name, body, comment: words, groups, uses });
  }

  #alias(name: string, schema: Schema, place: Place, isNew = false): string {
    const { made: body, uses } = this.#collecting(() => {
      const { text } = this.#expression(schema, name.replace(/Output$/u, 'Result'), place);
      return isLong(`export type ${name} = ${text};`)
        ? `=\n  ${broken(text, '  ')};`
        : `= ${text};`;
    });
    if (isNew || !this.#types.has(name)) {
      this.#add(name, body, { shape: schema, groups: new Set([fileFor(place)]), uses });
    }
    return this.#note(name, place);
  }

  /** Runs with a fresh set of used names, and returns the set. */
  #collecting<T>(make: () => T): { readonly made: T; readonly uses: ReadonlySet<string> } {
    const outer = this.#used;
    this.#used = new Set();
    const made = make();
    const uses = this.#used;
    this.#used = outer;
    return { made, uses };
  }

  /** Returns the name of an object with fields; null for any other schema. */
  #object(name: string, schema: Schema, place: Place, isNew = false): string | null {
    const { properties = {}, required = [] } = schema;
    const fields = Object.entries(properties);
    if (schema.type !== 'object' || fields.length === 0) return null;
    const { made: body, uses } = this.#collecting(() => {
      const lines = fields.flatMap(([field, inner]) => {
        const isNeeded = required.includes(field) && inner.default === undefined;
        return this.#field(field, inner, { ...place, isNeeded });
      });
      return `{\n${lines.join('\n')}\n}`;
    });
    const equal = isNew ? undefined : this.#equal(body);
    if (equal !== undefined) return this.#note(equal.name, place);
    const taken = !isNew && this.#types.has(name);
    const own = taken ? `${name}${place.end}` : name;
    this.#add(own, body, { shape: schema, groups: new Set([fileFor(place)]), uses });
    return this.#note(own, place);
  }

  /** Finds a nested object of the same fields; inputs and answers keep names of their own. */
  #equal(body: string): NamedType | undefined {
    const isWhole = ({ name }: NamedType) => name.endsWith('Input') || name.endsWith('Output');
    return [...this.#types.values()].find((type) => type.body === body && !isWhole(type));
  }

  #field(
    field: string,
    schema: Schema,
    place: Place & { readonly isNeeded: boolean },
  ): readonly string[] {
    const owner = BY_FIELD.has(field) ? pascal(field) : `${place.call}${pascal(singular(field))}`;
    const declared = DECLARED[field]?.name;
    const made =
      declared === undefined ? this.#expression(schema, owner, place) : { text: declared };
    const isGiven = place.isNeeded;
    const text = isGiven || made.text === 'unknown' ? made.text : `${made.text} | undefined`;
    const line = `  readonly ${field}${isGiven ? '' : '?'}: ${text};`;
    const words = [schema.description ?? '', defaultOf(schema)].filter((each) => each !== '');
    return [
      ...(words.length === 0 ? [] : comment(words.join(' '), '  ')),
      isLong(line)
        ? `  readonly ${field}${isGiven ? '' : '?'}:\n    ${broken(text, '    ')};`
        : line,
    ];
  }

  #expression(schema: Schema, owner: string, place: Place): Expression {
    const { $ref, anyOf = schema.oneOf, items } = schema;
    if ($ref !== undefined) return { text: this.#note($ref.replace('#/$defs/', ''), place) };
    if (schema.const !== undefined) return { text: literal(schema.const) };
    if (schema.enum !== undefined) return this.#choice(schema.enum, place);
    if (anyOf !== undefined) {
      const each = anyOf.map((one) => this.#expression(one, owner, place).text);
      return { text: [...new Set(each)].join(' | '), isUnion: true };
    }
    if (items !== undefined) {
      const { text, isUnion = false } = this.#expression(items, owner, place);
      // A caller may pass a list that it must not change, and change the list that it gets.
      const list = `${isUnion ? `(${text})` : text}[]`;
      return { text: place.end === 'Input' ? `readonly ${list}` : list };
    }
    if (schema.type === 'object') {
      const object = this.#object(owner, schema, place);
      if (object !== null) return { text: object };
      return { text: this.#record(schema, owner, place) };
    }
    if (typeof schema.type === 'object') {
      const anyOf = schema.type.map((type) => ({ type }));
      return this.#expression({ anyOf }, owner, place);
    }
    return { text: PLAIN[schema.type ?? ''] ?? 'unknown' };
  }

  /** Returns the type of an object whose fields are not all known by name. */
  #record(schema: Schema, owner: string, place: Place): string {
    const { additionalProperties: value, propertyNames, required } = schema;
    const inner =
      typeof value === 'object' ? this.#expression(value, owner, place).text : 'unknown';
    const names = propertyNames?.enum?.map(literal).join(' | ') ?? 'string';
    const record = `Record<${names}, ${value === false ? 'never' : inner}>`;
    const isPartial = names !== 'string' && required === undefined;
    return `Readonly<${isPartial ? `Partial<${record}>` : record}>`;
  }

  #choice(values: readonly unknown[], place: Place): Expression {
    const names = values.map(literal);
    if (names.toSorted().join('|') !== LAYERS.map(literal).toSorted().join('|')) {
      return { text: names.join(' | '), isUnion: names.length > 1 };
    }
    if (!this.#types.has('Layer')) {
      const shape = { description: 'One of the seven layers.' };
      this.#add('Layer', `= ${names.join(' | ')};`, { shape, groups: new Set(), uses: new Set() });
    }
    return { text: this.#note('Layer', place) };
  }
}

const PLAIN: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
};

function fileFor({ group, end }: Place): string {
  if (!SPLIT.has(group)) return group;
  return end === 'Input' ? `${group}-inputs` : `${group}-answers`;
}

function homeOf({ groups }: NamedType): string {
  const [only = SHARED, ...more] = groups;
  return more.length === 0 ? only : SHARED;
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : JSON.stringify(value);
}

function defaultOf({ default: preset }: Schema): string {
  return preset === undefined ? '' : `@default ${JSON.stringify(preset)}`;
}

function isLong(line: string): boolean {
  return line.length > LINE_MAX;
}

/** Breaks a union at its bars. */
function broken(text: string, indent: string): string {
  if (!isLong(`${indent}${text};`)) return text;
  const parts = text.split(' | ');
  return `| ${parts.join(`\n${indent}| `)}`;
}

function comment(text: string, indent: string): readonly string[] {
  const line = `${indent}/** ${text} */`;
  if (!isLong(line) && !text.includes('\n')) return [line];
  const rows: string[] = [];
  let row = `${indent} *`;
  for (const word of text.split(/\s+/u)) {
    if (isLong(`${row} ${word}`)) {
      rows.push(row);
      row = `${indent} * ${word}`;
    } else row += ` ${word}`;
  }
  return [`${indent}/**`, ...rows, row, `${indent} */`];
}

/** Returns the name of one item of a list, such as `turn` for `turns`. */
function singular(field: string): string {
  if (field.endsWith('ies')) return `${field.slice(0, -3)}y`;
  return field.endsWith('s') && !field.endsWith('ss') ? field.slice(0, -1) : field;
}
