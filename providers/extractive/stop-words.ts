/**
 * Words that carry grammar and not matter. The English list is part of the method: a change to it
 * changes summaries. The short lists of other languages hold only their commonest function words.
 */

const ENGLISH = `
a about above after again against ain all almost alone along already also although always am among
an and another any anybody anyone anything anyway anywhere are aren around as at away back be
became because become been before being below between both bit but by came can cannot cause come
could couldn cuz did didn do does doesn doing don done down during each either else em enough
especially even ever every everybody everyone everything exactly few for from further gave get
gets getting give given gives go goes going gone gonna good got gotta had hadn happen has hasn
have haven having he her here hers herself hey hi him himself his how however i if in indeed
instead into is isn it its itself just keep kind know knew lemme less let lets like ll look looked
looking lot lots made make makes many may maybe me mean means might mightn mine more most much
must mustn my myself need needn never next no nobody none nope nor not nothing now of off often oh
ok okay on once one ones only onto or other others ought our ours ourselves out over own perhaps
please pretty probably put quite rather re really right said same saw say saying says see seem
seemed seems seen shall shan she should shouldn since so some somebody somehow someone something
sometimes somewhere soon sorry sort still stuff such sure take taken takes taking talk tell than
thank thanks that the their theirs them themselves then there therefore these they thing things
think thinking this those though thought through thus til till to together told too took totally
toward towards tried try trying two um under until up upon us use used using usually ve very via
wanna want wanted wants was wasn way we well went were weren what whatever when where whether
which while who whole whom whose why will with within without won would wouldn yeah yep yes yet
you your yours yourself yourselves yup actually basically guess suppose dunno kay cool nice
wonderful excellent great fine alright definitely obviously kinda sorta cause bit hear heard
remember start started wait oops haha zero three four five six seven eight nine ten eleven twelve
thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty
seventy eighty ninety hundred`;

const OTHERS = `
der die das den dem des ein eine einen einem einer und oder aber ist sind war nicht ich du er sie es
wir ihr mit von zu zum zur im auf für als auch dass wie wird hat haben
le la les un une des du de et ou mais est sont pas je tu il elle nous vous ils elles dans pour sur
avec
que qui ce cette au aux en se sa son ses
el los las uno una unos unas y o pero es son no yo él ella ellos en por para con que se su sus lo
al del
il lo gli i un uno una e ma è sono non io tu lui lei noi voi di da per con che si nel della del
o os as um uma e mas é são não eu ele ela nós em por para com que se seu sua do da dos das no na
de het een en of maar is zijn niet ik jij hij zij wij jullie van voor met op aan dat die te
и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее мне
och att det som en på är av för med den till inte om han hon jag du`;

export const STOP_WORDS: ReadonlySet<string> = new Set(
  `${ENGLISH} ${OTHERS}`.split(/\s+/u).filter((word) => word !== ''),
);

/** Words that only an English text is full of; used to tell whether English speech rules apply. */
export const ENGLISH_MARKERS: ReadonlySet<string> = new Set(
  'the and of to is that it you i we this have are was for with be on not so but do'.split(' '),
);
