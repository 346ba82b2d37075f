/**
 * Words with more grammar than meaning, shared by search, summaries and grounding. The lists are
 * part of the methods that use them: a change to ENGLISH needs a new revision of search terms and a
 * new generation of lexical vectors, and a change to any list may change summaries.
 */
import { wordSet } from './word-lists.ts';

/** English function words, which search ignores. */
const ENGLISH = `
a about after again all also always am an and any anything are aren as at be because been before
being both but by can cannot could couldn did didn do does doesn doing don done down during each
either else even ever every everything few for from further get gets getting go goes going gonna
got had hadn has hasn have haven having he her here hers him his how however i if in into is isn
it its itself just kind know let like ll lot many may maybe me mean might more most much must my
no nor not nothing now of off oh ok okay on once one only onto or other our ours out over own
perhaps quite rather re really said same say says see seem seems shall she should shouldn since
so some something still such than that the their theirs them then there these they thing things
think this those though through thus to too two um under until up upon us use used using ve very
via want was wasn way we well were weren what when where whether which while who whom whose why
will with within without won would wouldn yeah yes yet you your yours
`;

/** Words of English conversation that say nothing about a topic. */
const TALK = `
above against ain almost alone along already although among another anybody anyone anyway
anywhere around away back became become below between bit came cause come cuz em enough
especially everybody everyone exactly gave give given gives gone good gotta happen herself hey hi
himself indeed instead keep knew lemme less lets look looked looking lots made make makes means
mightn mine mustn myself need needn never next nobody none nope often ones others ought ourselves
please pretty probably put right saw saying seemed seen shan somebody somehow someone sometimes
somewhere soon sorry sort stuff sure take taken takes taking talk tell thank thanks themselves
therefore thinking thought til till together told took totally toward towards tried try trying
usually wanna wanted wants went whatever whole yep yourself yourselves yup actually basically
guess suppose dunno kay cool nice wonderful excellent great fine alright definitely obviously
kinda sorta hear heard remember start started wait oops haha zero three four five six seven eight
nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty
thirty forty fifty sixty seventy eighty ninety hundred
`;

/** The most common function words of other languages. */
const GERMAN = `
der die das den dem des ein eine einen einem einer und oder aber ist sind war nicht ich du er sie es
wir ihr mit von zu zum zur im auf für als auch dass wie wird hat haben
`;
const SPANISH = `
el los las uno una unos unas y o pero es son no yo él ella ellos en por para con que se su sus lo
al del
`;
const OTHERS = `
le la les un une des du de et ou mais est sont pas je tu il elle nous vous ils elles dans pour sur
avec qui ce cette au aux en se sa son ses
il lo gli i un uno una e ma è sono non io tu lui lei noi voi di da per con che si nel della del
o os as um uma e mas é são não eu ele ela nós em por para com que se seu sua do da dos das no na
de het een en of maar is zijn niet ik jij hij zij wij jullie van voor met op aan dat die te
и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее мне
och att det som en på är av för med den till inte om han hon jag du
`;

/** Words that search ignores. In other languages, common words only get a low weight. */
export const STOP_WORDS: ReadonlySet<string> = wordSet(ENGLISH);

/** Words that a summary ignores: function words and conversation, in every language with a list. */
export const SAYS_LITTLE: ReadonlySet<string> = wordSet(
  [ENGLISH, TALK, GERMAN, SPANISH, OTHERS].join(' '),
);

/** Words that only English texts have many of; they show whether English speech rules apply. */
export const ENGLISH_MARKERS: ReadonlySet<string> = wordSet(
  'the and of to is that it you i we this have are was for with be on not so but do',
);
