import { oneOf } from '../../text/pattern.ts';
import { stem } from '../../text/stem.ts';
import type { LexiconText } from './lexicon.ts';

const IRREGULAR = `
pay paid
send sent
sell sold sales
get got gotten
give gave given gift
take took taken
make made
say said
tell told
meet met
lead led
leave left
write wrote written
choose chose chosen choice
go went gone
come came
see saw seen
know knew known knowledge
think thought
find found
hold held
lose lost loss
win won
run ran
speak spoke spoken speech
drive drove driven
eat ate eaten
drink drank drunk
build built
spend spent
teach taught
feel felt
fall fell fallen
rise rose risen
raise raised
grow grew grown growth
bring brought
draw drew drawn
fly flew flown flight
hear heard
sleep slept
wear wore worn
tear tore torn
stand stood
understand understood
forget forgot forgotten
become became
begin began begun
strike struck stricken
steal stole stolen
freeze froze frozen
ride rode ridden
ring rang rung
sing sang sung song
swim swam swum
shake shook shaken
hide hid hidden
bite bit bitten
throw threw thrown
catch caught
fight fought
seek sought
light lit
shoot shot
sink sank sunk
sit sat
stick stuck
sweep swept
swear swore sworn
wake woke woken
bind bound
deal dealt
feed fed
dig dug
lay laid
child children kid
person people
man men
woman women
foot feet
tooth teeth
goose geese
mouse mice
wife wives
life lives
die death dead
marry marriage wedding
decide decision
receive receipt
succeed success
fail failure
analyze analysed analysis
explain explanation
describe description
destroy destruction
produce production
reduce reduction
permitted permission
admit admission
responded response
expanded expansion
submit submission
compare comparison
departed departure
refuse refused
long length
high height
strong strength
wide width
deep depth
weigh weight
`;

/** Words that mean about the same in every context. */
const SAME = `
buy purchase bought acquire
doctor physician
company firm
begin commence
finish complete conclude
help assist
need require
work job
show display
choose select pick
receive obtain
repair fix mend
reply answer respond
car automobile
apartment flat
elevator lift
holiday vacation
movie film
phone telephone
mother mom mum
father dad
grandmother grandma gran granny
grandfather grandpa
photo photograph picture
lawyer attorney
medicine medication drug
store shop
bicycle bike
database db
production prod
configuration config
repository repo
application app
environment env
document doc
information info
quick fast rapid
sick ill
bookkeeping books
delay late
hurt injured injury
employee staff employees
teacher instructor
postpone delay
inform notify
request ask
error mistake
client customer
error bug
house home
replace substitute
leave departs
enter entry entrance admission
end terminate
increase raise
salary wage pay
revenue sales turnover
hire employ engage recruit
dismiss fire layoff
resign quit
near nearby
big large huge
small little tiny
pupil student
street road
trip journey travel
try attempt
own possess belongs
break broken broke damaged defective
trash garbage waste rubbish
gas petrol fuel
autumn fall
truck lorry
sofa couch
price cost fee
guest visitor
enough sufficient
annual yearly
trial proceedings hearing
postpone adjourn
owner landlord landlady proprietor
illness sickness disease
pregnant expectant
live reside
old elderly aged
rent rental lease hire
gather collect
happy glad pleased
angry furious
scared afraid fear
rise increase climb
drop fall decrease decline declined
change alter modify
send dispatch ship
job position post
room space
boss manager supervisor
police officer
speed pace
talk conversation
sign signature
own self
use usage utilize
wrong incorrect
correct right
prize award
contest competition
purpose aim goal
main chief principal
hospital clinic
road route
dish meal
area region
beginning onset start
guide guideline
cause reason
building construction
worker employee
agree consent
reject refuses declines
stopped cease halt
provide supply
keep kept retain
allow permit
discontinue stop
frequent often common
above over
close shut
ill unwell
parcel package
timetable schedule
rubbish litter
assess evaluate
examine inspect examination check
confirm verify
begin launch
organize arrange
gift present
journey voyage
lend lent loan
mail post
moved relocate
neighbour neighbor
profit earnings
quantity amount
rapid swift
safe secure
stay remain
suggest propose
surgery operation
survey questionnaire
swap exchange trade
tidy clean
unpaid outstanding overdue
wood timber
baby infant
teenager teen adolescent
physio physiotherapist
chair chairperson chairman chairwoman
cook chef
driver motorist
author writer
journalist reporter
tenant renter lodger
volunteer helper
trainer coach
referee umpire
buyer purchaser
seller vendor supplier
shipment delivery consignment
deliver bring
enlarge expand
extend prolong
found establish
inhabitant resident
injure wound
jump leap
lack shortage
law legislation
middle center centre
occupation profession
operate run
pause break
plane aircraft airplane
reschedule move
ship vessel
shoe footwear
sleep asleep
statement declaration
storm gale
story tale
summit top peak
tablet pill
test exam examination
unemployed jobless
yell shout
still continue
end expire expiry
`;

const BEHIND = String.raw`
  your, the, a, an, on, me, us, it, in, at, to, with, up, home, off, out, for, this, that, all
`;
const REQUEST = new RegExp(
  String.raw`\bplease\b|\blet's\b|\b(?:told|ordered|instructed|urged) (?:\S+ ){1,3}to\b|` +
    String.raw`^(?:,? ?[^,.:]{1,24}, |, )?(?:do not |don't |always |never )?` +
    String.raw`[a-z]{2,} ${oneOf(BEHIND)}\b`,
  'u',
);

const INTENTION = new RegExp(
  String.raw`(?:\b(?:is|are|was|were|am)|'(?:m|re|s)) (?:going to|planning)\b|\bgonna\b|` +
    String.raw`\bdue\b(?! to\b)|\bdue to (?:open|start|end|be)\b`,
  'u',
);
const CAUSE = new RegExp(
  String.raw`\b(?:due to|thanks to|leads? to|led to|so that|as a result|that's why|, so)\b|` +
    String.raw`^ ?so (?!far|that|much|many|called)`,
  'u',
);

export const ENGLISH: LexiconText = {
  free: `
    a an the this that these those and or but then than as of to in on at by for from with into onto
    over under about between through is are was were be been being am do does did done doing has
    have had having it its itself he him his himself she her hers herself they them their theirs
    themselves i me my mine myself we us our ours you your yours who whom whose which what where
    there here also too very really still yet already any each either such own same s ll re ve d m t
    out upon within per via while whereas although though however moreover so said says say saying
    told tells tell mention mentions mentioned note notes noted report reports reported state states
    stated explain explains explained announce announces announced inform informs informed according
    users currently now take takes took taken place held happen happens happened occur occurs
    occurred located based get gets got become becomes became using use used made make makes go goes
    going come comes came one ones thing things way kind regarding concerning due let lets sees see
    went team works work contain contains available total following o'clock well just please since
    during throughout given mounted placed put set lies stands working worked department people
    person group number amount fact event places named called name appointment course shows showed
    taking getting making coming giving gives give gave putting seeing system type sort form case
    matter part member members participant participants resident residents colleague colleagues
    building area location item items product products object device equipment organization
    organisation institution facility issue task process procedure level size length height weight
    price distance duration age temperature capacity quantity date period session activity situation
    document text message information details version option topic subject title lasts lasted last
    weighs weighed measures measured costs cost comprises consists remains remained features
    featured receives received receive holds hold keeps kept keep carries carried carry exists
    existed exist stays stayed returns recently additionally respectively together altogether
    approximately someone somebody everyone's thereby individuals individual woman women
    man men girl boy child children kids kid relative relatives adult adults guest visitors visitor
    side back toward towards along among across around besides else both's indeed hence once ever
    whichever whoever whatever whenever wherever several shares shared indicates indicated expresses
    expressed reveals revealed acknowledges acknowledged relays relayed recounts recounted
  `,
  modifiers: {
    negation: `not no never none nobody nothing neither nor without cannot nowhere deny denies
      denied denial n't dont prohibit prohibits prohibited prohibition forbid forbids forbidden
      forbade ban bans banned excl excluded excludes excluding exclusive except doesnt didnt isnt
      wont cant unable no-one avoid avoids avoided`,
    possibility: `may might could maybe perhaps possibly probably likely seem seems seemed appear
      appears suspect suspects suspected suspicion think thinks thinking thought believe believes
      believed guess guesses assume assumes supposedly allegedly apparently consider considers
      considering considered possible potentially unsure unclear rumor rumored claim claims
      claimed`,
    obligation: `must required requires require shall mandatory obliged obligatory needs need needed
      necessary`,
    advice: `should ought recommend recommends recommended recommendation suggest suggests suggested
      suggestion advise advises advised advice encourage encouraged propose proposes proposed
      proposal`,
    wish: `want wants wanted wish wishes wished hope hopes hoped prefer prefers preferred hoping
      wishing wanting preferring preference preferences love willing eager`,
    permission: 'can allowed allow allows permitted permit permits able',
    intention: `plan plans planned planning intend intends intended aim aims scheduled expect
      expects expected intending intention intentions expecting promise promises promised`,
    condition: 'if unless provided whether depending otherwise',
    cause: 'because therefore hence cause causes caused reason result results resulted thus owing',
    all: `all every everyone everybody everything always entire entirely whole both completely
      fully`,
    only: 'only solely exclusively merely sole',
    most: 'most mostly majority mainly usually often',
    half: 'half',
    almost: 'almost nearly barely hardly',
    before: 'before earlier prior previously ahead',
    after: 'after later afterwards afterward',
    until: 'until till',
    more: 'more higher better longer larger bigger greater',
    less: 'less fewer lower worse shorter smaller',
    up: 'up upward upwards',
    down: 'down downward downwards',
    future: "will would 'll upcoming",
    past: 'was were had did ago yesterday',
  },
  phrases: {
    obligation:
      /\b(?:has|have|had) to\b|\binsist|\b(?:prohibit|forbid|forbade|bann(?:ed|ing)|bans?\b)/u,
    wish: /\b(?:would|'d) like\b/u,
    intention: INTENTION,
    future: /'ll\b|\bwon't\b|\bnext\b|\btomorrow\b/u,
    former: /\b(?:used to|formerly|previously|no longer|anymore|gone|is over)\b/u,
    past: /\b(?:has|have|had|'ve) (?:already |just |now )?\w+(?:ed|en|t|ne|wn)\b/u,
    request:
      // Such as `keep your leg up`, or `Visitors, stay on the path`.
      REQUEST,
    cause: CAUSE,
    negation: /n't\b|\bno longer\b|\brather than\b|\binstead of\b/u,
    until: /\bas long as\b/u,
  },
  opposites: `
    from to, over under, over below, above below, above under, on off, in out, into from,
    behind before`,
  first: "i i'm i've i'll i'd me my mine myself we we're we've we'll us our ours",
  scales: 'long wide high tall deep old thick heavy far away aged apart',
  third: 'he she they him her his their them it its',
  auxiliary: 'is are was were been being be get gets got am',
  participle: /^(?!.*ing$)[a-z]{3,}$/u,
  saying: `
    comment comments commented declare declares declared observe observes observed clarify clarifies
    clarified wonder wonders wondered inquire inquires inquired instruct instructs instructed urge
    urges urged order orders ordered said says say tell tells told mention mentions mentioned note
    notes noted report reports reported state states stated explain explains explained announce
    announces announced inform informs informed insist insists insisted complain complains
    complained admit admits admitted add adds added stress stresses stressed remark remarks remarked
    emphasize emphasizes emphasized remind reminds reminded point points pointed describe describes
    described warn warns warned recall recalls recalled write writes wrote estimate estimates
    estimated confirm confirms confirmed answer answers answered reply replies replied ask asks
    asked thank thanks thanked
  `,
  same: `${IRREGULAR.trim()}\n${SAME.trim()}`,
  stem,
};
