/**
 * Tells a second job, a membership and voluntary work from the job that a new one replaces: `I
 * joined the fire brigade as a volunteer` ends no employment.
 */
import { oneOf } from '../text/pattern.ts';

/** What ends the words around a name: another clause tells of something else. */
const CLAUSE_END = /[,;:，；。]|\s(?:and|but|und|aber|y|pero)\s/iu;

const BESIDE = new RegExp(
  String.raw`(?<!\p{L})(?:(?:second|third|side|extra|additional|weekend|evening) ` +
    String.raw`(?:\p{L}+ )?(?:job|gig|position|role|post)|` +
    String.raw`(?:have|['’]ve got|start\p{L}*|work\p{L}*) another (?:job|gig|position|role|post)|` +
    String.raw`as an? (?:\p{L}+[ -])?(?:volunteer|member|donor|mentor|patron|trustee|subscriber|` +
    String.raw`customer|student|pupil)|(?:on|at) (?:the )?weekends?|on the side|` +
    String.raw`on (?:Satur|Sun)days?|in my (?:free|spare) time|` +
    String.raw`(?:zweite|weitere|zusätzliche|andere)[nrs]? (?:Job|Stelle|Arbeit|Anstellung)|` +
    String.raw`(?:Neben|Zweit|Mini|Aushilfs|Ferien|Wochenend)(?:job|arbeit|beschäftigung)|` +
    String.raw`nebenbei|nebenher|nebenberuflich|ehrenamtlich|am Wochenende|in meiner Freizeit|` +
    String.raw`als (?:\p{Ll}+ )?(?:Freiwilliger?|Ehrenamtlicher?|Mitglied|Spender(?:in)?)|` +
    String.raw`(?<!(?:encontr|consegu)\p{L}+ )(?:segundo|otro) (?:trabajo|empleo)|` +
    String.raw`(?:trabajo|empleo) (?:extra|adicional|secundario)|` +
    String.raw`(?:de|como) (?:voluntari[oa]|soci[oa]|miembro|donante)|los fines de semana|` +
    String.raw`los (?:sábados|domingos)|en mi tiempo libre)(?!\p{L})|` +
    '兼职|副业|第二份|另一份|另外一份|志愿者|义工|会员|周末',
  'iu',
);

/** Associations, networks and shops that people join as members. */
const JOINED_AS_MEMBER = new RegExp(
  String.raw`^(?:the )?${oneOf(`
    Greenpeace, Amnesty, Oxfam, Unicef, WWF, Peta, Red Cross, Rotary, Lions, Mensa, Scouts,
    Facebook, Instagram, Tiktok, Linkedin, Twitter, Reddit, Mastodon, Bluesky, Tinder,
    Bumble, Hinge, Strava, Duolingo, Patreon, Discord, Telegram, Whatsapp, Twitch, Youtube,
    Costco, Peloton, Crossfit
  `)}(?!\p{L})|(?<=\s)${oneOf(`
    Premium, Plus, Prime, Pro, Gold, Platinum, Unlimited, Club, Party, Rewards, Society,
    Association, Choir, Gym, Union, League, Alliance
  `)}$`,
  'iu',
);
/** Words that make any name an employer. */
const OF_WORK = new RegExp(
  String.raw`(?<!\p{L})(?:as an?|jobs?|salary|boss|manager|colleagues?|coworkers?|office|desk|` +
    String.raw`role|position|team|full[- ]time)(?!\p{L})`,
  'iu',
);

/** Whether a sentence names where somebody works or helps besides the main job. */
export function isBesideMainJob(text: string, employer: string): boolean {
  return text.split(CLAUSE_END).some((part) => part.includes(employer) && BESIDE.test(part));
}

/** Whether a sentence says that somebody has joined something as a member, not to work there. */
export function joinsAsMember(text: string, employer: string): boolean {
  return (
    /\bjoin/iu.test(text) &&
    JOINED_AS_MEMBER.test(employer.replace(/\.$/u, '')) &&
    !OF_WORK.test(text)
  );
}
