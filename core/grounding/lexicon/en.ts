import { oneOf } from '../../text/pattern.ts';
import { stem } from '../../text/stem.ts';
import type { LexiconText } from './lexicon.ts';

const IRREGULAR = `
pay paid
send sent
buy bought
sell sold sale sales
get got gotten
give gave given gift
take took taken
make made
say said
tell told
meet met meeting
lead led
leave left
keep kept
write wrote written
choose chose chosen choice
break broke broken
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
lend lent
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
child children kid kids
person people persons
man men
woman women
foot feet
tooth teeth
goose geese
mouse mice
wife wives
life lives live
die died death dead
marry married marriage wedding
decide decided decision
choose choice
receive received receipt
succeed succeeded success
fail failed failure
analyze analysed analyzed analysis
explain explained explanation
describe described description
destroy destroyed destruction
produce produced production
reduce reduced reduction
permit permitted permission
admit admitted admission
respond responded response
expand expanded expansion
submit submitted submission
compare compared comparison
depart departed departure
arrive arrived arrival
approve approved approval
refuse refused refusal
long length
high height
strong strength
wide width
deep depth
weigh weighed weight
`;

/** Words that mean about the same in every context. */
const SAME = `
buy purchase purchased purchases bought acquire acquired
doctor physician doctors physicians
company firm companies firms
begin start started starts commence commenced beginning
finish complete completed completion conclude concluded
help assist assisted assistance
need require required requires requirement
work job
show display displayed
choose select selected selects selection pick picked
receive obtain obtained
repair fix fixed mend mended repaired repairs fixes
reply answer answered respond responded response
car automobile cars
apartment flat apartments flats
elevator lift elevators lifts
holiday vacation holidays vacations
movie film movies films
phone telephone phones
mother mom mum
father dad
grandmother grandma gran granny
grandfather grandpa
photo photograph picture photos
lawyer attorney lawyers attorneys
medicine medication drug medicines drugs medications
store shop stores shops
bicycle bike bicycles bikes
database db
production prod
configuration config
repository repo repositories
application app
environment env
document doc
information info
quick fast rapid
sick ill
bookkeeping books
delay delayed delays late
hurt injured injury injuries
employee staff employees
teacher instructor teachers
postpone postponed delay
cancel canceled cancelled cancellation
inform notify notified informed
request requested ask
error mistake
client customer clients customers
error bug
house home
replace replaced replacement substitute
leave leaves depart departs departed departure
enter entry entrance entered admission
end terminate terminates terminated
increase raise raised increased
salary salaries wage wages pay
revenue sales turnover
hire hired hiring employ employed engage engaged recruit recruited
dismiss dismissed fire fired dismissal layoff
resign resigned quit resignation
near nearby
big large huge
small little tiny
pupil pupils student students
street road
trip journey travel
try attempt attempted
own owns owned possess belongs belong
break broken broke damaged defective
trash garbage waste rubbish
gas petrol fuel
autumn fall
truck lorry trucks lorries
sofa couch
price cost costs fee prices
guest visitor guests visitors
enough sufficient
annual yearly
trial proceedings hearing
postpone adjourn adjourned
owner landlord landlady proprietor
illness sickness disease
pregnant expectant expecting
purchase buy
live lives reside resides
old elderly aged
rent rents rental lease leased rented hire
gather gathered collect collected
happy glad pleased
angry furious
scared afraid fear fears
rise increase climb climbed
drop fall decrease decline declined decreased
change alter changed modify modified alteration
send dispatch ship shipped
job position post
room space
boss manager supervisor
kid child
police officer officers
speed pace
talk conversation
sign signature signed
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
worker workers employee employees staff
agree agreed consent consents consented
reject rejected rejects refuse refused refuses decline declined declines
stop stopped stops cease ceased ceases halt halted
provide provided provides supply supplied supplies
keep kept retain retained
allow allowed permit permitted
discontinue discontinued stop stopped
frequent frequently often common
above over
close closed shut
ill sick unwell
parcel package
timetable schedule
rubbish litter
assess evaluate evaluated assessed evaluation assessment
examine examined inspect inspected inspection examination check checked
confirm confirmed verify verified
begin launch launched
organize organized arrange arranged
gift present
invite invited invitation
journey trip voyage
lend lent loan loaned
mail post
mistake error
move moved relocate relocated relocation
neighbour neighbor
profit earnings
quantity amount
rapid swift
safe secure
stay remain
suggest propose proposed suggested
surgery operation
survey questionnaire
swap swapped exchange exchanged trade traded
tidy clean cleaned
unpaid outstanding overdue
wood timber
wedding marriage
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
deliver delivered bring brought
demolish demolished
build built construct constructed
enlarge enlarged expand expanded
extend extended prolong prolonged
found founded establish established
inhabitant resident
injure injured wound wounded
jump leap
lack shortage
law legislation
middle center centre
occupation profession
operate run ran
owe owed
pause break
plane aircraft airplane
reschedule rescheduled move moved
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
still continue continues continued continuing
end expire expires expired expiry
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
over under about between through is are was were be been being am do does did done doing has have
had having it its itself he him his himself she her hers herself they them their theirs themselves
i me my mine myself we us our ours you your yours who whom whose which what where there here also
too very really still yet already any each either such own same s ll re ve d m t out upon
within per via while whereas although though however moreover so
said says say saying told tells tell mention mentions mentioned note notes noted report reports
reported state states stated explain explains explained announce announces announced inform informs
informed according users currently now
take takes took taken takes place held happen happens happened occur occurs occurred located based
get gets got become becomes became using use used made make makes go goes going come comes came
one ones thing things way kind regarding concerning due let lets sees see went team works work
contain contains available total following o'clock well just please been as since during
throughout given mounted placed put set lies stands
working worked department people person group number amount fact event place places named called
name
appointment course shows showed taking getting
making using going coming giving gives give gave putting seeing system type sort form case matter
part
member members participant participants resident residents colleague colleagues building area
location item items product products object device equipment organization organisation institution
facility issue task process procedure level size length height weight price distance duration age
temperature capacity quantity date period session activity situation document text message
information details version option topic subject title total lasts lasted last weighs weighed
measures measured costs cost comprises consists remains remained features featured receives received
receive holds held hold keeps kept keep carries carried carry exists existed exist stays stayed
returns currently recently additionally respectively together altogether approximately about
because_of someone somebody everyone's whose thereby himself herself themselves individuals
individual woman women man men girl boy child children kids kid
relative relatives adult adults guest visitors visitor side back
upon toward towards along among across around besides else both's indeed hence once ever
whichever whoever whatever whenever wherever several
shares shared indicates indicated expresses expressed reveals revealed acknowledges acknowledged
relays relayed recounts recounted `,
  modifiers: {
    negation: `not no never none nobody nothing neither nor without cannot nowhere deny denies
      denied denial n't dont
      prohibit prohibits prohibited prohibition forbid forbids forbidden forbade ban bans banned
      excl excluded excludes excluding exclusive except
      doesnt didnt isnt wont cant unable no-one avoid avoids avoided`,
    possibility: `may might could maybe perhaps possibly probably likely seem seems seemed appear
      appears suspect suspects suspected suspicion think thinks thinking thought believe believes
      believed guess guesses assume
      assumes supposedly allegedly apparently consider considers considering considered possible
      potentially unsure unclear rumor rumored claim claims claimed`,
    obligation: `must required requires require shall mandatory obliged obligatory needs need needed
      necessary`,
    advice: `should ought recommend recommends recommended recommendation suggest suggests suggested
      suggestion advise advises advised advice encourage encouraged propose proposes proposed
      proposal`,
    wish: `want wants wanted wish wishes wished hope hopes hoped prefer prefers
      preferred hoping wishing wanting preferring preference preferences love willing eager`,
    permission: `can allowed allow allows permitted permit permits able`,
    intention: `plan plans planned planning intend intends intended aim aims scheduled expect
      expects expected intending intention intentions expecting promise promises promised`,
    condition: 'if unless provided whether depending otherwise',
    cause: `because therefore hence cause causes caused reason result results resulted thus
      owing`,
    all: `all every everyone everybody everything always entire entirely whole both completely
      fully`,
    only: 'only solely exclusively merely sole',
    most: 'most mostly majority mainly usually often',
    half: 'half',
    almost: 'almost nearly barely hardly',
    before: 'before earlier prior previously ahead',
    after: 'after later afterwards afterward',
    until: 'until till',
    more: 'more higher better longer larger bigger greater up_to',
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
    former: /\bused to\b|\bformerly\b|\bno longer\b|\banymore\b|\bgone\b|\bis over\b/u,
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
    clarified wonder wonders wondered inquire inquires inquired
    instruct instructs instructed urge urges urged order orders ordered said says say tell tells
    told mention mentions mentioned note notes noted report reports reported state states stated
    explain explains explained announce announces announced inform informs informed insist
    insists insisted complain complains complained admit admits admitted add adds added stress
    stresses stressed remark remarks remarked emphasize emphasizes emphasized remind reminds
    reminded point points pointed describe describes described warn warns warned recall recalls
    recalled write writes wrote estimate estimates estimated confirm confirms confirmed answer
    answers answered reply replies replied ask asks asked thank thanks thanked stress report
  `,
  same: `${IRREGULAR.trim()}\n${SAME.trim()}`,
  stem,
};
