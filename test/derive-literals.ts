/**
 * Derives, from a regular expression, literals of which every match contains at least one, as RE2
 * does (https://github.com/google/re2/blob/main/re2/prefilter.cc).
 */
import { RegExpParser, type AST } from '@eslint-community/regexpp';
import type { Pattern } from '#core/text/pattern.ts';
import { folded, UNFILTERED } from '#core/text/prefilter.ts';

/** Maximum exact strings of a part; with more, each alternative gives its own requirement. */
const EXACT_MAX = 24;
/** Shorter literals occur in most texts. */
const LITERAL_UNITS_MIN = 3;
/** A character class of more characters requires nothing. */
const CLASS_MAX = 6;

/** What every match of a part of a pattern contains, folded. */
interface Required {
  /** All strings that the part can match, if they are few; may include the empty string. */
  readonly exact: readonly string[] | null;
  /** Each match contains at least one of these; null if nothing is required. */
  readonly anyOf: readonly string[] | null;
}

const NOTHING: Required = { exact: null, anyOf: null };
const EMPTY: Required = { exact: [''], anyOf: null };

/** Returns folded literals of which every match of a pattern contains one; null if unknown. */
export function literalsOf({ source, flags }: Pattern): readonly string[] | null {
  if (!/^i?u$/u.test(flags)) return null;
  const pattern = new RegExpParser().parsePattern(source, 0, source.length, { unicode: true });
  const { exact, anyOf } = ofAlternatives(pattern.alternatives);
  return better(usable(exact), anyOf);
}

function ofAlternatives(alternatives: readonly AST.Alternative[]): Required {
  const all = alternatives.map(({ elements }) => inSequence(elements));
  const exact = all.every((each) => each.exact !== null)
    ? [...new Set(all.flatMap((each) => each.exact ?? []))]
    : null;
  if (exact !== null && exact.length <= EXACT_MAX) return { exact, anyOf: null };
  const needed = all.map((each) => better(usable(each.exact), each.anyOf));
  const isKnown = needed.every((each) => each !== null);
  return {
    exact: null,
    anyOf: isKnown ? [...new Set(needed.flatMap((each) => each ?? []))] : null,
  };
}

/** Joins the exact strings of neighboring elements, as long as they are few. */
function inSequence(elements: readonly AST.Element[]): Required {
  let run: readonly string[] = [''];
  let anyOf: readonly string[] | null = null;
  let isExact = true;
  for (const element of elements) {
    const part = ofElement(element);
    const joined = part.exact === null ? null : product(run, part.exact);
    if (joined !== null) {
      run = joined;
      continue;
    }
    isExact = false;
    anyOf = better(better(anyOf, usable(run)), part.anyOf);
    run = part.exact ?? [''];
  }
  return isExact ? { exact: run, anyOf: null } : { exact: null, anyOf: better(anyOf, usable(run)) };
}

function product(before: readonly string[], after: readonly string[]): readonly string[] | null {
  if (before.length * after.length > EXACT_MAX) return null;
  const [only = ''] = after;
  if (after.length === 1) return only === '' ? before : before.map((start) => start + only);
  return [...new Set(before.flatMap((start) => after.map((end) => start + end)))];
}

function usable(exact: readonly string[] | null): readonly string[] | null {
  return exact?.every((each) => rarity(each) >= LITERAL_UNITS_MIN) === true ? exact : null;
}

/** Returns how rare a literal is in the texts that are filtered. */
function rarity(literal: string): number {
  return UNFILTERED.test(literal) ? Infinity : literal.length;
}

/** Returns the requirement that fewer texts meet: longer literals, then fewer of them. */
function better(
  one: readonly string[] | null,
  other: readonly string[] | null,
): readonly string[] | null {
  if (one === null || other === null) return one ?? other;
  const [a, b] = [one, other].map((each) => Math.min(...each.map(rarity)));
  if (a === b) return one.length <= other.length ? one : other;
  return (a ?? 0) > (b ?? 0) ? one : other;
}

function ofElement(element: AST.Element): Required {
  switch (element.type) {
    case 'Character':
      return { exact: [foldedCharacter(element.value)], anyOf: null };
    case 'CharacterClass':
      return ofClass(element);
    case 'Group':
    case 'CapturingGroup':
      return ofAlternatives(element.alternatives);
    case 'Quantifier':
      return quantified(element);
    // What an assertion looks at is no part of the match.
    case 'Assertion':
      return EMPTY;
    default:
      return NOTHING;
  }
}

function quantified({ min, max, element }: AST.Quantifier): Required {
  const inner = ofElement(element);
  if (min === 1 && max === 1) return inner;
  if (min === 0) {
    return max === 1 && inner.exact !== null
      ? { exact: ['', ...inner.exact], anyOf: null }
      : NOTHING;
  }
  return { exact: null, anyOf: better(usable(inner.exact), inner.anyOf) };
}

function ofClass({ negate, elements }: AST.CharacterClass): Required {
  if (negate || elements.length > CLASS_MAX) return NOTHING;
  const characters = elements.map((each) =>
    each.type === 'Character' ? foldedCharacter(each.value) : null,
  );
  const known = characters.filter((each) => each !== null);
  return known.length < characters.length ? NOTHING : { exact: [...new Set(known)], anyOf: null };
}

function foldedCharacter(codePoint: number): string {
  return folded(String.fromCodePoint(codePoint));
}
