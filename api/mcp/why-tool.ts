/** `trace.why` as a tool: where something comes from, within what the server may speak of. */
import { z } from 'zod';
import type { Why, WhySource } from '../operations/trace.ts';
import { OPERATIONS } from '../operations/table.ts';
import { nothingMeant } from '../why.ts';
import { unknownSource } from '../why-sources.ts';
import { boundScope, withinOf, type Binding, type Bound, type BoundScope } from './binding.ts';
import { identifiersField, isoTime, named, READS, tool, type Tool } from './tool.ts';

const { why } = OPERATIONS.trace;
/** Sessions of which turns are shown, the newest first. */
const SESSIONS_MAX = 20;

export function whyTool(binding: Binding): Tool {
  return tool({
    name: 'why',
    title: 'Explain where something comes from',
    description:
      'Says where a memory or a summary comes from: who stored it and when, what was changed, ' +
      'the facts of a summary, and the memories or turns each rests on, in their own words. Call ' +
      'it when the user asks why you believe something, or when two memories disagree. Give an ' +
      'id, the words of a context or a summary, or a layer for its summary.',
    hints: READS,
    input: z.strictObject({ ref: why.input.shape.ref, ...identifiersField(binding) }),
    output: why.output,
    run: async (bound, { ref, ...input }) => {
      const scope = boundScope(binding, named(input));
      const answer = await bound.calls.trace.why({ ...scope, ref });
      const isOpen = await openTo(bound, scope);
      if (!isOpen(answer)) throw nothingMeant();
      const content = {
        ...answer,
        sources: answer.sources.map((source) =>
          isOpen(source) ? source : unknownSource(source.id),
        ),
        citedBy: answer.citedBy.filter(isOpen),
      };
      return { text: textOf(content), content };
    },
  });
}

type Placed = Pick<WhySource, 'layer' | 'scopeId'>;

/** Says of what was found whether this server may show it; a turn lies in a session of its own. */
async function openTo(bound: Bound, scope: BoundScope): Promise<(found: Placed) => boolean> {
  const isWithin = await withinOf(bound);
  const { sessions } = await bound.calls.conversation.list({ ...scope, limit: SESSIONS_MAX });
  const own = new Set(sessions.map(({ sessionId }) => sessionId));
  return ({ layer, scopeId }) => {
    if (layer === null || scopeId === null) return true;
    return layer === 'session' ? own.has(scopeId) : isWithin({ layer, scopeId });
  };
}

function textOf(answer: Why): string {
  const { kind, id, layer, state, at, by, channel, supersededBy, made, writes } = answer;
  const since = at === null ? '' : `, since ${isoTime(at)}`;
  const came = channel === null ? '' : ` It came in by ${channel}.`;
  return [
    `${kind} ${id} of the layer ${layer} (${state})${since}, by ${String(by)}.${came}`,
    ...(answer.text === null ? [] : [`It says: ${answer.text}`]),
    ...(supersededBy === null ? [] : [`It was replaced by ${supersededBy}.`]),
    ...(made === null ? [] : [`Made by ${made.model} at ${isoTime(made.at)}.`]),
    ...answer.facts.map(({ text, sources }) => `- ${text} [rests on ${sources.join(', ')}]`),
    ...answer.sources.map(sourceLine),
    ...answer.citedBy.map((each) => `The ${each.layer} summary says by it: ${each.fact}`),
    ...answer.changes.map((each) => `${isoTime(each.at)}: ${each.action} by ${each.by}`),
    ...(writes ?? []).map((each) => `${isoTime(each.at)}: ${each.operation} by ${each.principal}`),
  ].join('\n');
}

function sourceLine({ id, kind, state, text, at, by }: WhySource): string {
  if (kind === 'unknown') return `Source ${id} was erased, or is not open here.`;
  const when = at === null ? '' : ` of ${isoTime(at).slice(0, 10)}`;
  const said = text === null ? '' : `: ${text}`;
  return `Source ${id}, a ${kind}${when} from ${String(by)} (${String(state)})${said}`;
}
