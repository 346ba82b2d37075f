/**
 * Decides whether a newer text says that its speaker has switched from what the older one names: to
 * another product, another version of it, or another offer, such as a plan.
 */
import { oneOf } from '../../text/pattern.ts';
import type { ChangeSigns } from './change-signs.ts';
import { isOnlyAtWork } from './sentence-subjects.ts';

/** A text and its signs of a change. */
interface Told {
  readonly content: string;
  readonly told: Pick<ChangeSigns, 'isSwitch' | 'products'>;
}

/** Where and for what something is used or paid. */
const PURPOSE = /(?<!\p{L})(?:for|at|für|bei|para|por)\s(?<purpose>[^.,;:!?]{2,40})/iu;

/** Says that its speaker uses something. */
const USES = new RegExp(
  String.raw`(?<!\p{L})${oneOf(`
    (?:I|we) (?:still |all |now )?(?:use|run|have|do|host|build|pay|work|keep|manage|track|write),
    (?:I|we)(?:['’](?:m|re)| am| are) (?:on|using|with), (?:my|our) [\\p{L} ]+ is,
    (?:ich|wir) (?:be)?(?:nutz|verwend|arbeit|hab|zahl|schreib|bau)\\p{L}*, (?:uso|usamos),
    (?:utilizo|utilizamos|tengo|tenemos|trabajamos|trabajo), (?:mein|unser)\\p{L}* \\p{L}+ ist,
    (?:mi|nuestr[oa]) [\\p{L} ]+ es
  `)}(?!\p{L})|我们?.{0,4}用|我们?的.+是`,
  'iu',
);

/** A product with its version: `Postgres 16`. */
const VERSION = /(?<name>\p{L}[\p{L}.+#-]{2,}) (?<version>\d{1,4}(?:\.\d+)*)(?![\p{L}\d:])/gu;

/** Whether the speaker has switched to another version of a product that the older text names. */
export function isUpgraded(older: Told, newer: Told): boolean {
  if (!newer.told.isSwitch()) return false;
  const known = versionsIn(older.content);
  return [...versionsIn(newer.content)].some(
    ([name, version]) => known.has(name) && known.get(name) !== version,
  );
}

function versionsIn(text: string): ReadonlyMap<string, string> {
  return new Map(
    [...text.matchAll(VERSION)].map(({ groups }) => [
      groups?.['name']?.toLowerCase() ?? '',
      groups?.['version'] ?? '',
    ]),
  );
}

/** Whether the speaker has switched from a product to another one: `We switched to Bitwarden`. */
export function isSwitched(older: Told, newer: Told): boolean {
  if (!newer.told.isSwitch() || older.told.isSwitch()) return false;
  const [before, after] = [older.told.products(), newer.told.products()];
  const isOther = [...before].some(([value, group]) => {
    const others = [...after].filter(([other, ofOther]) => ofOther === group && other !== value);
    return others.length > 0;
  });
  return isOther && isOneUse(older, newer) && USES.test(older.content);
}

/** Whether both may be about one use, as far as they say it. */
function isOneUse(older: Told, newer: Told): boolean {
  const [one, other] = [older, newer].map(({ content }) => PURPOSE.exec(content)?.groups);
  const isSame = !one || !other || one['purpose'] === other['purpose'];
  return isSame && !isOnlyAtWork(older.content, newer.content);
}

/** Words before a kind of offer that do not say which one it is. */
const ANY_ONE = oneOf(`
  the, an?, my, our, your, this, that, any, no, new, old, current, same, other, whole, what, which,
  of, for, in, on, to, with, de[mnr]?, die, das, ein\\p{L}*, una?, mein\\p{L}*, unser\\p{L}*,
  neue[nrs]?,
  del?, para, con, al?, nuev[oa], actual, que, y, und, and, is, ist, es
`);
const WHICH = String.raw`(?!${ANY_ONE}(?!\p{L}))(?<which>[\p{L}\p{N}][\p{L}\p{N}+.]*)`;
/** Which one of several offers of a kind: `the Starter plan`, `Tarif Basic`, `el plan familiar`. */
const OFFERS = [
  String.raw`${WHICH}[ -](?<kind>plan|package|tier|subscription|membership|tariff|licen[cs]e)`,
  String.raw`${WHICH}-(?<kind>tarif|paket|abo|vertrag|plan|lizenz|mitgliedschaft)`,
  String.raw`(?<kind>tarif|paket|abo|plan|tarifa|paquete|suscripción|abono|licencia) „?${WHICH}`,
].map((offer) => new RegExp(String.raw`(?<!\p{L})${offer}(?!\p{L})`, 'iu'));
const OFFER_HAN = /(?<which>[\p{Script=Han}\p{L}\p{N}]{1,4}?)(?<kind>套餐|会员|方案|版)/u;

/** Says that its speaker has an offer again: `We went back to the Business plan`. */
const BACK = new RegExp(
  String.raw`(?<!\p{L})${oneOf(`
    (?:I|we) (?:went|switched|moved|are|am) back (?:to|on),
    (?:I|we)['’](?:re|m|ve gone) back (?:to|on),
    zurück(?:gewechselt|gestuft), (?:he |hemos )?(?:vuelto|volví|volvimos) al?
  `)}(?!\p{L})|换回`,
  'iu',
);

/** Whether the speaker has switched to another offer: `downgraded to the Starter plan`. */
export function isOtherOffer(older: Told, newer: Told): boolean {
  if (!newer.told.isSwitch() && !BACK.test(newer.content)) return false;
  if (!USES.test(older.content) && !older.told.isSwitch() && !BACK.test(older.content))
    return false;
  const [before, after] = [offerIn(older.content), offerIn(newer.content)];
  const isOther = before !== null && after?.kind === before.kind && after.which !== before.which;
  return isOther && isOneUse(older, newer);
}

function offerIn(text: string): { readonly kind: string; readonly which: string } | null {
  for (const offer of [...OFFERS, OFFER_HAN]) {
    const { kind, which } = offer.exec(text)?.groups ?? {};
    if (kind !== undefined && which !== undefined) {
      return { kind: kind.toLowerCase(), which: which.toLowerCase() };
    }
  }
  return null;
}
