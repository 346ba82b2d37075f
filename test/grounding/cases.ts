/** Cases of the example sets: scopes of sources, and facts about them that are true or false. */
import type { AnswerFact } from '#core/prompt/parse-answer.ts';
import type { Source } from '#core/sources/source.ts';
import { mutatedValues } from './mutate.ts';
import {
  drawValues,
  factOf,
  MUTATIONS,
  nameOf,
  sourcesOf,
  type Mutation,
  type SceneSource,
  type Values,
} from './scene.ts';
import type { Template } from './templates.ts';
import { intBetween, pick, type Chance } from './values.ts';

export interface GroundingCase {
  /** Null for a faithful fact. */
  readonly mutation: Mutation | null;
  readonly fact: AnswerFact;
  readonly sources: readonly SceneSource[];
}

/** False facts of each mutation, in turn, until there are `count`. */
export function mutatedCases(
  templates: readonly Template[],
  count: number,
  chance: Chance,
): GroundingCase[] {
  const cases: GroundingCase[] = [];
  while (cases.length < count) {
    const mutation = MUTATIONS[cases.length % MUTATIONS.length] ?? 'number';
    const made = makeCase(templates, mutation, chance);
    if (made !== null) cases.push(made);
  }
  return cases;
}

export function faithfulCases(
  templates: readonly Template[],
  count: number,
  chance: Chance,
): GroundingCase[] {
  const cases: GroundingCase[] = [];
  while (cases.length < count) {
    const made = makeCase(templates, null, chance);
    if (made !== null) cases.push(made);
  }
  return cases;
}

function makeCase(
  templates: readonly Template[],
  mutation: Mutation | null,
  chance: Chance,
): GroundingCase | null {
  const template = pick(templates, chance);
  const taken = new Set<string>();
  const values = drawValues(template, taken, chance);
  const own = sourcesOf(template, values, chance);
  const line = pick(template.facts, chance);
  const beside = besides(templates, { template, taken, chance });
  const people = [...peopleOf(values), ...beside.people];
  const others = people.filter((name) => !line.includes(`{${keyOf(name, values)}}`));
  const used =
    mutation === null ? values : mutatedValues(mutation, line, { values, others, chance });
  if (used === null) return null;
  const fact = factOf(line, used, template, chance);
  return { mutation, fact, sources: [...own, ...beside.sources] };
}

/** Other scenes of the same scope, which the fact does not cite. */
function besides(
  templates: readonly Template[],
  { template, taken, chance }: { template: Template; taken: Set<string>; chance: Chance },
): { sources: SceneSource[]; people: string[] } {
  const sources: SceneSource[] = [];
  const people: string[] = [];
  for (let count = intBetween(1, 2, chance); count > 0; count -= 1) {
    const other = pick(
      templates.filter((each) => each !== template),
      chance,
    );
    const values = drawValues(other, taken, chance);
    const told = sourcesOf(other, values, chance);
    sources.push(...told.map((source) => ({ ...source, id: `${String(count)}${source.id}` })));
    people.push(...peopleOf(values));
  }
  return { sources, people };
}

function peopleOf(values: Values): string[] {
  return Object.values(values).flatMap((value) => (value.kind === 'person' ? nameOf(value) : []));
}

function keyOf(name: string, values: Values): string {
  return Object.keys(values).find((key) => nameOf(values[key]) === name) ?? '';
}

/** The source of a case as grounding sees it. */
export function asSource({ id, text, speaker, at }: SceneSource): Source {
  return {
    id,
    kind: speaker === null ? 'memory' : 'turn',
    position: id,
    text,
    contentHash: '',
    tokens: 1,
    bytes: text.length,
    at,
    speaker,
    role: null,
    trust: 'stated',
    expiresAt: null,
  };
}
