/** Opposites: pairs of words that cannot both be true of one thing. */
import { overlapOf, type Statement } from './statement.ts';
import { stemOf } from './stem.ts';
import { lowerAt, type Token } from './token.ts';

/** A line: words of one side, a bar, words of the other. */
const TABLE = `
increase rise grow raise climb gain | decrease fall drop shrink decline reduce lower
accept approve agree | reject refuse deny decline veto disapprove disagree
enable activate | disable deactivate
open reopen | close shut
add introduce | remove delete
win | lose
pass succeed success | fail failure
hire | fire dismiss
allow permit | forbid prohibit ban
include | exclude
like love enjoy prefer | dislike hate avoid
arrive | leave depart
early earlier | late later
online | offline
maximum most max | minimum least min
cheap cheaper | expensive
upgrade | downgrade
install | uninstall
support favour favor | oppose
morning | evening afternoon
internal | external
public | private
mandatory required | optional
slow slower | fast faster
higher | lower
up | down
left | right
north | south
east | west
merge | revert
confirm | cancel
gain | lose
ascend | descend
connect | disconnect
lock | unlock
subscribe | unsubscribe
present | absent
true | false
safe | dangerous
deposit | withdraw
`;
/** Pairs that only oppose before the same word: `before Friday`, `after Friday`. */
const RELATIONS: ReadonlyMap<string, string> = mutual([
  ['before', 'after'],
  ['more', 'less'],
  ['more', 'fewer'],
  ['over', 'under'],
  ['above', 'below'],
  ['with', 'without'],
  ['most', 'least'],
]);

const SIDES = readTable();

/** Whether the fact says the opposite of every one of its closest statements. */
export function isOpposite(fact: Statement, closest: readonly Statement[]): boolean {
  if (closest.length === 0) return false;
  return closest.every((told) => {
    if (told.isQuestion) return false;
    return (
      (isOpposed(fact, told) && isSameMatter(fact, told)) || isTurned(fact.tokens, told.tokens)
    );
  });
}

/**
 * An odd number of denials turns the opposite round: `not accepted` is no opposite of
 * `rejected`.
 */
export function isOpposed(fact: Statement, told: Statement): boolean {
  for (const stem of fact.content) {
    for (const side of SIDES.get(stem) ?? []) {
      if (told.content.has(stem) || intersects(told.content, side.own)) continue;
      if (intersects(told.content, side.other) && !intersects(fact.content, side.other))
        return true;
    }
  }
  return false;
}

/** Below this share of a fact, a statement may well be about another matter. */
const MATTER_SHARE_MIN = 0.5;

function isSameMatter(fact: Statement, told: Statement): boolean {
  const isDenied = (statement: Statement): boolean =>
    statement.tokens.some(({ lower }) =>
      /^(?:not|never|no|cannot|without|\p{L}+n't)$/u.test(lower),
    );
  return (
    !isDenied(fact) &&
    !isDenied(told) &&
    overlapOf(fact.content, told.content).share >= MATTER_SHARE_MIN
  );
}

function isTurned(fact: readonly Token[], told: readonly Token[]): boolean {
  return fact.some((token, index) => {
    const other = RELATIONS.get(token.lower);
    if (other === undefined) return false;
    const next = nextContent(fact, index);
    if (next === '') return false;
    const stands = (word: string): boolean =>
      told.some((each, at) => each.lower === word && nextContent(told, at) === next);
    return stands(other) && !stands(token.lower);
  });
}

function nextContent(tokens: readonly Token[], index: number): string {
  const skipped = /^(?:than|the|a|an|of|[$€£]|our|their)$/u;
  let at = index + 1;
  while (at <= index + 3 && skipped.test(lowerAt(tokens, at))) at += 1;
  return stemOf(lowerAt(tokens, at));
}

function intersects(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  for (const each of other) if (one.has(each)) return true;
  return false;
}

interface Side {
  readonly own: ReadonlySet<string>;
  readonly other: ReadonlySet<string>;
}

function readTable(): ReadonlyMap<string, readonly Side[]> {
  const sides = new Map<string, Side[]>();
  for (const line of TABLE.trim().split('\n')) {
    const [one, other] = line.split('|').map((part) => new Set(part.trim().split(' ').map(stemOf)));
    if (one === undefined || other === undefined) continue;
    for (const stem of one) sides.set(stem, [...(sides.get(stem) ?? []), { own: one, other }]);
    for (const stem of other)
      sides.set(stem, [...(sides.get(stem) ?? []), { own: other, other: one }]);
  }
  return sides;
}

function mutual(pairs: readonly (readonly [string, string])[]): ReadonlyMap<string, string> {
  return new Map(
    pairs.flatMap(([one, other]) => [
      [one, other],
      [other, one],
    ]),
  );
}
