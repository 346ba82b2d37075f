/** Rules of extraction for English. */
import { namesOf, ruleMaker, type RuleBook } from '../rule.ts';

/** Of which one has one; family, work and what is called by a name. */
const OWN = {
  manager: 'manager',
  boss: 'manager',
  'team lead': 'manager',
  wife: 'spouse',
  husband: 'spouse',
  partner: 'spouse',
  accountant: 'accountant',
  lawyer: 'lawyer',
  dentist: 'dentist',
  doctor: 'doctor',
  therapist: 'therapist',
  landlord: 'landlord',
  landlady: 'landlord',
  birthday: 'birthday',
  'phone number': 'phone',
  'e-mail address': 'email',
  'email address': 'email',
  email: 'email',
  address: 'address',
  'time zone': 'timezone',
  timezone: 'timezone',
  employer: 'employer',
  'day rate': 'rate',
  'hourly rate': 'rate',
  budget: 'budget',
  car: 'car',
  laptop: 'laptop',
  'native language': 'language',
  'mother tongue': 'language',
};
const NAMED = {
  dog: 'dog',
  cat: 'cat',
  daughter: 'daughter',
  son: 'son',
  horse: 'horse',
  sister: 'sister',
  brother: 'brother',
  ...OWN,
};
const EVENTS = {
  launch: 'launch',
  'go-live': 'launch',
  release: 'release',
  deadline: 'deadline',
  demo: 'demo',
  meeting: 'meeting',
  review: 'review',
  standup: 'standup',
  handover: 'handover',
  handoff: 'handover',
  workshop: 'workshop',
  appointment: 'appointment',
  'dentist appointment': 'dentist appointment',
  "doctor's appointment": 'doctor appointment',
  surgery: 'surgery',
  operation: 'surgery',
  exam: 'exam',
  interview: 'interview',
  flight: 'flight',
  train: 'train',
  trip: 'trip',
  wedding: 'wedding',
  party: 'party',
  conference: 'conference',
  race: 'race',
  marathon: 'race',
};

const STOPS = String.raw`[.,;:!?()…–—\n"“”]`;
const END =
  String.raw`(?=\s*(?:${STOPS}|$)|\s(?:and|but|so|because|since|which|where|who|while|when|` +
  String.raw`though|now|again|any ?more|these days|instead|last|this|for (?:a|two|ten|\d))\b)`;
const DAYS = '(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day';
const MONTHS =
  '(?:January|February|March|April|May|June|July|August|September|October|November|December)';

const rule = ruleMaker({
  I:
    String.raw`(?<![\p{L}'’])I(?:\s(?:now|currently|still|also|really|just|absolutely|` +
    String.raw`generally|usually|mostly|much|live and))?`,
  AM:
    String.raw`(?<![\p{L}'’])I(?:['’]m|\sam)(?:\s(?:now|currently|also|still|` +
    String.raw`severely|very|a bit))?`,
  HAVE: String.raw`(?<![\p{L}'’])I(?:['’]ve|\shave)?(?:\s(?:just|recently|finally|now))?`,
  WE: String.raw`(?<![\p{L}'’])(?:[Ww]e|I)`,
  END,
  V: String.raw`(?<value>[^.,;:!?()…–—\n"“”]{2,120}?)${END}`,
  OLD: String.raw`(?<old>[^.,;:!?()…–—\n"“”]{2,60}?)`,
  NAME: String.raw`(?:\p{Lu}[\p{L}'’&.-]*)(?:\s(?:\p{Lu}[\p{L}'’&.-]*|of|am|de|\d+))*`,
  PLACE:
    String.raw`(?!${DAYS}|${MONTHS}|Christmas|Easter|Python|Linux|Windows|Slack|Teams|Kube|` +
    'Postgres|MySQL|Git|AWS|Azure|Vim|Emacs|Rust|Go\\b|Type|Java|React|Vue|Marketing|Sales|Legal|' +
    'Finance|Engineering|Product|Design|Support|Operations|Plan|Chapter|Part|Step|' +
    'English|Spanish|' +
    'German|French|Excel|Notion|Jira|Docker|Mongo|SQL|Node|Android|Apple|iOS)',
  DATE:
    String.raw`(?:(?:on|to|at|for|until|by)\s)?(?:(?:next\s)?${DAYS}\b|${MONTHS}\s\d{1,2}|` +
    String.raw`(?:the\s)?\d{1,2}(?:st|nd|rd|th)?(?:\sof)?\s${MONTHS}|\d{4}-\d\d-\d\d|` +
    String.raw`(?:the\s)?\d{1,2}(?:st|nd|rd|th)\b)`,
  OWN: namesOf(OWN),
  NAMED: namesOf(NAMED),
  EVENT: namesOf(EVENTS),
  JOB:
    '(?:[a-z-]+ ){0,2}(?:engineer|developer|programmer|designer|nurse|doctor|teacher|professor|' +
    'student|lawyer|architect|accountant|manager|analyst|scientist|researcher|writer|editor|' +
    'journalist|translator|electrician|plumber|carpenter|chef|baker|farmer|pilot|driver|' +
    'photographer|musician|consultant|therapist|surgeon|vet|pharmacist|librarian|freelancer|' +
    'contractor|administrator|secretary|technician|mechanic|painter|potter|gardener|beekeeper)',
  DIET:
    '(?:vegan|vegetarian|pescatarian|coeliac|celiac|lactose[- ]intolerant|diabetic|' +
    'colou?rblind)',
});
const ONE = { single: true };
const NOT = { negative: true };

export const EN: RuleBook = {
  rules: [
    rule('Self', 'residence', String.raw`{I}\s(?:live|reside)s?\sin\s{PLACE}(?<value>{NAME})`, ONE),
    rule('Self', 'residence', String.raw`{AM}\s(?:based|living)\sin\s{PLACE}(?<value>{NAME})`, ONE),
    rule('Self', 'residence', String.raw`[Mm]y home is(?: now)? in {PLACE}(?<value>{NAME})`, ONE),
    rule(
      'Self',
      'residence',
      String.raw`{HAVE}\s(?:moved|relocated)(?:\s(?:house|home|back))?` +
        String.raw`(?:\sfrom\s(?<old>{NAME}))?\sto\s{PLACE}(?<value>{NAME})`,
      ONE,
    ),
    rule(
      'Self',
      'residence',
      String.raw`(?:[Ww]e|and I)(?:['’]ve| have)?(?: just| recently| finally| now)? relocated` +
        String.raw`(?:\sfrom\s(?<old>{NAME}))?\sto\s{PLACE}(?<value>{NAME})`,
      ONE,
    ),
    rule(
      'Self',
      'residence',
      String.raw`I\s(?:no longer live|don['’]t live|do not live)\sin\s(?<value>{NAME})`,
      { single: true, negative: true },
    ),
    rule(
      'Self',
      'employer',
      String.raw`{I}\swork\s(?:at|for)\s(?!${DAYS}|${MONTHS}|Christmas|Easter)(?<value>{NAME})`,
      ONE,
    ),
    rule(
      'Self',
      'employer',
      String.raw`{HAVE}\s(?:joined|started at|started working (?:at|for))\s(?<value>{NAME})`,
      ONE,
    ),
    rule(
      'Self',
      'employer',
      String.raw`{HAVE}\s(?:quit|left)\s(?<old>{NAME})\s` +
        String.raw`(?:and joined|to join|for)\s(?<value>{NAME})`,
      ONE,
    ),
    rule(
      'Self',
      'employer',
      String.raw`I\s(?:no longer work|don['’]t work|do not work)\s(?:at|for)\s(?<value>{NAME})`,
      { single: true, negative: true },
    ),
    rule('Self', 'employer', String.raw`{HAVE}\s(?:quit|left)(?:\smy job)?\sat\s(?<value>{NAME})`, {
      single: true,
      negative: true,
    }),
    rule('Self', 'name', String.raw`(?:[Mm]y name is|[Pp]lease call me)\s(?<value>{NAME})`, ONE),
    rule('Self', 'allergy', String.raw`{AM}\sallergic to\s{V}`),
    rule(
      'Self',
      'allergy',
      String.raw`(?:{I}\shave|I['’]ve(?: got)?)\san?\s(?<value>[\p{L} ]{3,30}?) allergy`,
    ),
    rule('Self', 'allergy', String.raw`I(?:['’]m| am)(?: not| no longer) allergic to\s{V}`, NOT),
    rule('Self', 'diet', String.raw`{AM}\s(?:an?\s)?(?<value>{DIET})\b`, ONE),
    rule(
      'Self',
      'diet',
      String.raw`I(?:['’]m| am)\s(?:not|no longer)\s(?:an?\s)?(?<value>{DIET})\b`,
      {
        single: true,
        negative: true,
      },
    ),
    rule('Self', 'job', String.raw`{AM}\san?\s(?<value>{JOB})\b(?!['’]s)`),
    rule('Self', 'job', String.raw`{I}\swork as\san?\s{V}`),
    rule(
      'Preference',
      'favorite:{thing}',
      String.raw`[Mm]y favou?rite (?<thing>[\p{L} ]{2,30}?) is\s{V}`,
      ONE,
    ),
    rule('Preference', 'like', String.raw`{I}\s(?:prefer|like|love|enjoy|adore)s?\s{V}`),
    rule(
      'Preference',
      'like',
      String.raw`{I}\s(?:hate|dislike|can['’]t stand|cannot stand|never (?:eat|` +
        String.raw`drink|wear|use|take)|` +
        String.raw`(?:don['’]t|do not) (?:like|eat|drink|want to see))\s{V}`,
      NOT,
    ),
    rule(
      'Preference',
      'like',
      String.raw`{I}\s(?:can['’]t|cannot|mustn['’]t) (?:eat|drink|have)\s{V}`,
      NOT,
    ),
    rule('Self', 'my:rate', String.raw`{I}\scharge\s(?<value>[£€$]?\d[\d.,]*[^.,;:!?]{0,30})`, ONE),
    rule(
      'Self',
      'my:{thing}',
      String.raw`(?:^|,\s|that\s)(?:[Mm]y|[Oo]ur)\s(?!guess|question|point|idea|` +
        String.raw`first|second|next|last|answer)` +
        String.raw`(?<thing>[a-z][a-z -]{2,30}?)\sis\s(?:now\s)?(?<value>[£€$]?\d[\d.,:]*(?:\s[` +
        String.raw`^.,;:!?]{2,40})?)(?=[.,;:!?]|$)`,
      ONE,
    ),
    rule(
      'Instruction',
      'instruction',
      String.raw`^(?:[Pp]lease,?\s)?[Dd]on['’]t\s(?<value>(?:use|write|call|` +
        String.raw`send|start|end|add|answer)\s[^?\n]{3,80}(?:\bme\b|\bmy\b|\byou answer)` +
        String.raw`[^?\n]{0,40})`,
    ),
    rule(
      'Instruction',
      'instruction',
      String.raw`^(?:[Pp]lease,?\s)?(?:[Aa]lways|[Nn]ever)\s(?<value>[a-z][^?\n]{5,120})`,
    ),
    rule('Instruction', 'instruction', String.raw`^[Ff]rom now on,?\s(?<value>[^?\n]{5,120})`),
    rule(
      'Decision',
      'decision',
      String.raw`{WE}(?:['’]ve|\shave)?\s(?:decided|agreed|settled)\s(?:to|on|that|against)\s` +
        String.raw`(?<value>[^.;:!?()…–—\n"“”]{3,120}?)(?:\sfor\s(?:the\s|our\s)` +
        String.raw`?(?<thing>[^.,;:!?]{3,40}))?(?=[.,;:!?]|$)`,
    ),
    rule(
      'Decision',
      'decision',
      String.raw`[Ww]e(?:['’]re| are|['’]ll| will)\s(?:going with|go with|going to use|` +
        String.raw`use|switching to)\s` +
        String.raw`(?<value>[^.,;:!?]{2,60}?)(?:\s(?:instead of|rather than|not)` +
        String.raw`\s(?<old>[^.,;:!?]{2,40}?))?` +
        String.raw`(?:\sfor\s(?:the\s|our\s)?(?<thing>[^.,;:!?]{3,40}))?(?=[.,;:!?]|$)`,
    ),
    rule(
      'Decision',
      'decision',
      String.raw`[Ww]e(?:['’]ve| have)?\s(?:switched|migrated|moved)\sfrom\s(?<old>[^.,;:!?]{` +
        String.raw`2,40}?)\sto\s` +
        String.raw`(?<value>[^.,;:!?]{2,60}?)(?:\sfor\s(?:the\s|our\s)?(?<thing>[^.,;:!?]{3,40}` +
        String.raw`))?(?=[.,;:!?]|$)`,
    ),
    rule(
      'Ownership',
      'owner:{thing}',
      String.raw`^(?<value>\p{Lu}[\p{Ll}'’-]+(?:\s\p{Lu}[\p{Ll}'’-]+)?)\s(?:now\s)` +
        String.raw`?(?:owns|maintains|leads|runs|` +
        String.raw`is (?:now )?(?:responsible for|in charge of)|takes over)\s(?:the\s)?` +
        String.raw`(?<thing>[^.,;:!?]{3,40}?)(?:\sfrom\s(?<old>{NAME}))?(?=[.,;:!?]|$)`,
      ONE,
    ),
    rule(
      'Possession',
      'my:{thing}',
      String.raw`[Mm]y (?:new )?(?<thing>{OWN})\s(?:is now|is|will be)\s(?:on\s)` +
        String.raw`?(?<value>{NAME}|[\w.+-]+@[\w.-]+|\+?[\d ()-]{5,}|[£€$]?\d[\d.,]*)`,
      ONE,
    ),
    rule('Possession', 'my:manager', String.raw`{I}\s(?:now )?report to\s(?<value>{NAME})`, ONE),
    rule(
      'Possession',
      'my:{thing}',
      String.raw`[Mm]y (?<thing>{NAMED})(?:['’]s name is| is (?:called|named))\s(?<value>{NAME})`,
      ONE,
    ),
    rule(
      'Possession',
      'have',
      String.raw`(?:{HAVE}\s(?:bought|adopted)|I['’]ve got|{I}\s(?:own|have))\s` +
        String.raw`(?<value>(?:a|an|two|three|four|my own)\s(?:new\s|old\s)?(?:\p{Lu}[\p{L}\d-]` +
        String.raw`+(?:\s\p{Lu}[\p{L}\d-]+)?|dogs?|cats?|` +
        String.raw`sons?|daughters?|kids|children|horses?|car|bike|boat|house|` +
        String.raw`brothers?|sisters?))\b`,
    ),
    rule('Possession', 'have', String.raw`{HAVE}\ssold my\s{V}`, NOT),
    rule(
      'Date',
      'date:{thing}',
      String.raw`(?:^|\s)(?:[Tt]he|[Oo]ur|[Mm]y)\s(?<thing>(?:{EVENT})(?:\s(?:for|` +
        String.raw`with|of)\s[^.,;:!?]{2,30}?)?)\s` +
        String.raw`(?:is|starts|begins|takes place|happens|falls|moves|moved|has moved|slipped|` +
        String.raw`(?:was|has been|got|is)(?: now)? ` +
        String.raw`(?:moved|rescheduled|postponed|pushed|set|scheduled|booked)` +
        String.raw`)(?:\sfrom\s(?<old>.{3,30}?))?\s(?<value>{DATE}[^.;!?()]{0,40})`,
      ONE,
    ),
  ],
  passing: new RegExp(
    String.raw`\b(?:[Ii]f|would|could|might|may|should|[Mm]aybe|[Pp]erhaps|` +
      String.raw`[Pp]robably|[Ii]magine|[Ss]uppos\w+|pretend\w*|wish|hope|thinking (?:of|` +
      String.raw`about)|plan(?:ning)? to|considering|used to|today|tonight|tomorrow|` +
      String.raw`right now|this (?:morning|afternoon|evening)|for now|at the moment|` +
      String.raw`lol|[Hh]a(?:ha)+|kidding|joking|jk|says?|said|told|thinks|asked|` +
      String.raw`according to|[Uu]nless|goes(?! to)|(?:is|was|be) like|[Ll]et['’]s say|` +
      String.raw`for the sake of|almost|nearly|[Ww]hat|[Hh]ow|[Ww]hen I was)` +
      String.raw`\b`,
    'u',
  ),
  commissioned: new RegExp(
    String.raw`\b(?:translate|proofread|in my (?:novel|story|book|dream|play)` +
      String.raw`|in the (?:novel|play|game)|rewrite|rephrase|paraphrase|role-?play|` +
      String.raw`pretend|[Ss]ummari[sz]e (?:this|the following)|correct (?:this|` +
      String.raw`my)|(?:write|draft|compose)(?: \w+){0,3} (?:letter|story|poem|` +
      String.raw`e-?mail|mail|text|note|post|speech|dialogue|scene|song|bio)` +
      String.raw`|in the story|the character|just kidding|only joking)\b`,
    'iu',
  ),
  pointing: new RegExp(
    String.raw`^(?:that|this|these|those|it|its|them|they|you|your|him|her|` +
      String.raw`his|one|some|any|how|what|when|where|which|(?:mon|tues|wednes|` +
      String.raw`thurs|fri|satur|sun)days?$|having|the [a-z]+ ones?\b|the (?:first|` +
      String.raw`second|third|last|other|next|idea|way|sound|look|part|bit|new one|` +
      String.raw`one|option|version|shorter|longer)|to (?:see|know|think|say|` +
      String.raw`be|have|hear|ask|add|point)|being|more|most|both|all|everything|` +
      String.raw`nothing|something|anything|where)\b`,
    'iu',
  ),
  filler: new RegExp(
    String.raw`^(?:(?:by the way|btw|oh|also|actually|so|well|ok(?:ay)?|and|` +
      String.raw`anyway|right|hi|hello|hey|yes|no|first|thanks|thank you|just so you know|` +
      String.raw`for the record|for your notes|fyi|to correct that)[,:!.]?\s+)` +
      String.raw`+`,
    'iu',
  ),
  relative: new RegExp(
    String.raw`\b(?:yesterday|tomorrow|last|next|ago|this (?:week|month|year)` +
      String.raw`|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|just|recently|the \d+(?:st|` +
      String.raw`nd|rd|th))\b`,
    'u',
  ),
  things: { ...NAMED, ...EVENTS },
  inFirstPerson: (text, names) => {
    const who = ['the user', 'user', ...names.map(escaped)].join('|');
    const own = new RegExp(`^(?:${who})['’]s\\s`, 'iu');
    const about = new RegExp(
      `^(?:(?:${who})[,:]?\\s)?(?=(?:now |no longer |does |is |has |` +
        `(?:live|work|prefer|like|love|hate|own|enjoy|dislike|move)[sd]\\b))`,
      'iu',
    );
    // Without a name it is clear before an article alone: `Plays in the park are free.`
    const does = new RegExp(
      `^(?:(?:${who})\\s(${DOES})s\\b|(${DOES})s(?=\\s(?:an?|the)\\s))`,
      'iu',
    );
    if (own.test(text)) return text.replace(own, 'My ');
    if (does.test(text)) {
      return text.replace(
        does,
        (_, named: string, bare: string) => `I ${(named ?? bare).toLowerCase()}`,
      );
    }
    if (!about.test(text)) return text;
    return text
      .replace(about, 'I ')
      .replace(/^I is\b/u, "I'm")
      .replace(/^I has\b/u, 'I have')
      .replace(/^I does\b/u, 'I do')
      .replace(
        /^I ((?:now |no longer )?)(live|work|prefer|like|love|hate|own|enjoy|dislike)s\b/u,
        'I $1$2',
      );
  },
};

/** What people do, beside what the rules name. */
const DOES = 'drive|ride|use|play|rent|keep|take|run|drink|eat|smoke|speak|bank|coach|lead|need';

export function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`);
}
