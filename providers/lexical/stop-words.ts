/**
 * English words that carry grammar more than matter. They still count a little, so that a text made
 * only of them has a place of its own. The list is part of the method: a change to it is a new
 * generation. Other languages rely on the signs of the hash to average their common words out.
 */
const ENGLISH = `
a about after again all also always am an and any anything are aren as at be because been before
being both but by can cannot could couldn did didn do does doesn doing don done down during each
either else even ever every everything few for from further get gets getting go goes going gonna
got had hadn has hasn have haven having he her here hers him his how however i if in into is isn it
its itself just kind know let like ll lot many may maybe me mean might more most much must my no nor
not nothing now of off oh ok okay on once one only onto or other our ours out over own perhaps quite
rather re really said same say says see seem seems shall she should shouldn since so some something
still such than that the their theirs them then there these they thing things think this those
though through thus to too two um under until up upon us use used using ve very via want was wasn
way we well were weren what when where whether which while who whom whose why will with within
without won would wouldn yeah yes yet you your yours`;

export const STOP_WORDS: ReadonlySet<string> = new Set(ENGLISH.trim().split(/\s+/u));
