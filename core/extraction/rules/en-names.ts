/** Patterns of English names and days, and of what a home is told from. */
import { MONTHS, WEEKDAYS } from '../../text/calendar-words.ts';
import { oneOf } from '../../text/pattern.ts';
import { anyCase } from '../rule.ts';
import { ROADS } from './en-nouns.ts';

export const NAME = String.raw`(?:\p{Lu}[\p{L}'’&.-]*)(?:\s(?:\p{Lu}[\p{L}'’&.-]*|of|am|de|\d+))*`;

/** What goes on after a name: `the Guardian in Leeds`, but not `the Leeds office`. */
const BEHIND_NAME = oneOf(`
  and, but, so, as, in, on, since, for, from, because, where, which, now, today, yesterday, again,
  last, this, these
`);

/** The name of an employer, which is no day. */
export const EMPLOYER =
  String.raw`(?:the (?=${NAME}(?![\p{L}\p{N}'’&.-]|\s(?!${BEHIND_NAME}\b)\p{L})))?` +
  `(?!${WEEKDAYS.en}|${MONTHS.en}|Christmas|Easter)(?<value>${NAME})`;

/** Tools, suppliers and ways of working that people move to, as they move to towns. */
const MOVED_TO = oneOf(`
  Bitwarden, Dashlane, Discord, Mattermost, Zulip, Zoom, Google, Webex, Jitsi, Skype, Linear,
  Asana, Trello, Basecamp, Jenkins, Travis, Buildkite, Codeberg, Heroku, Hetzner, Sublime,
  Chrome, Firefox, Safari, Vivaldi, Ubuntu, Debian, Fedora, Angular, Svelte, Stripe, Adyen,
  Mollie, Spotify, Tidal, Deezer, Xero, Gmail, Outlook, Proton, Fastmail, Mailchimp, Brevo,
  Substack, Photoshop, Affinity, Obsidian, Evernote, Snowflake, Databricks, Redshift, Terraform,
  Figma, Sketch, Miro, Salesforce, Zendesk, Intercom, Shopify, Webflow, Netlify, Vercel,
  Cloudflare, Datadog, Grafana, Prometheus, Sentry, Airtable, Tableau, Looker, Metabase, Qlik,
  Todoist, Logseq, Roam, Coda, Pipedrive, Hubspot, Klaviyo, Ghost, Wordpress, Squarespace, Wix,
  Drupal, Signal, Telegram, Threema, Matrix, Mastodon, Bluesky, Brave, Opera, Edge, Zotero,
  Overleaf, Lightroom, Unity, Godot, Airflow, Pulumi, Ansible, Clickhouse, Snowplow, Flutter,
  Flask, Vanguard, Fidelity, Schwab, Robinhood, Chase, Citi, Klarna, Vattenfall, Telekom, Redis,
  Valkey, Kafka, Elastic, Elasticsearch, Cassandra, Oracle, Supabase, Firebase, Scrum, Kanban,
  Agile, Netflix, Disney, Amazon, Microsoft, Kotlin, Swift, Scala, Ruby, Elixir, Django, Rails,
  Laravel, Spring, Next, Nuxt, Vite, Webpack, Bazel, Octopus, Vodafone, Sky, Barclays, Monzo,
  Starling, Revolut, Wise, Verizon, Comcast, Premium, Pro, Business, Enterprise, Team, Level,
  Phase, Stage, Round, Room, Building, Floor, Gate, Version, Option, Tier, Zone, Block, Terminal,
  Platform, Summer, Winter, Autumn, Research, Accounting, Quality, Security, Data, Growth, Mom,
  Mum, Dad, Grandma, Grandpa, Italian, Chinese, Japanese, Portuguese
`);

/** Before a name: excludes the beginnings of days, tools, teams and languages. */
export const PLACE =
  String.raw`(?!${WEEKDAYS.en}|${MONTHS.en}|Christmas|Easter|Python|Linux|Windows|Slack|Teams|` +
  'Kube|Postgres|MySQL|Git|AWS|Azure|Vim|Emacs|Rust|Go\\b|Type|Java|React|Vue|Marketing|' +
  'Sales|Legal|Finance|Engineering|Product|Design|Support|Operations|Plan|Chapter|Part|Step|' +
  'English|Spanish|' +
  'German|French|Excel|Notion|Jira|Docker|Mongo|SQL|Node|Android|Apple|iOS)' +
  String.raw`(?!${MOVED_TO}(?!\p{L}))`;

/** Last words of the names of companies. */
const COMPANIES =
  'Insurance, Energy, Bank, Mobile, Telecom, Broadband, Group, Cloud, Suite, Health';

/**
 * The name of a town. Of the names that people move to, it is no known tool or team, has no capital
 * inside (`GitHub`) and is no street or company. For a group around it.
 */
export const TOWN =
  String.raw`${PLACE}(?!\p{Lu}[\p{Ll}'’.-]*[\p{Lu}\d])` +
  String.raw`(?<value>\p{Lu}\p{Ll}+\.?(?:[ -](?:of |upon |de )?\p{Lu}\p{Ll}+)*)` +
  String.raw`(?<!\s${oneOf(`${ROADS}, ${COMPANIES}`)})(?![\p{L}\p{N}'’&-])(?! \d)`;

/** Excludes what is moved to a company: `I moved to Vanguard with my savings`. */
export const WITHOUT_THINGS = String.raw`(?!.*\b(?:with|for) (?:all )?(?:my|our|the) ${oneOf(`
  savings, money, cash, pension, funds?, investments?, portfolio, shares, stocks, crypto, mortgage,
  loan, accounts?, banking, bank, card, insurance, taxes, bookkeeping, invoices, electricity, gas,
  internet, phone, number, contract, subscriptions?, music, playlists?, photos?, pictures, files?,
  data, notes?, to-?dos?, todo lists?, lists?, tasks?, calendars?, e-?mails?, mails?, newsletters?,
  blog, website, site, domains?, shop, store, hosting, passwords?, code, repos?, backups?, reports?,
  dashboards?, analytics, charts, drawings, designs?, groceries, shopping
`)}\b)`;

/** A sentence about work or about a supplier, where a name after `move to` is mostly no town. */
export const NOT_OF_WORK = String.raw`(?!.*\b${anyCase(`
  servers?, databases?, data, deploy\\w*, CI, repos?, repository, tickets?, billing, invoic\\w+,
  stack, cluster, cloud, hosting, licen[cs]es?, plans?, pricing, apps?, migrat\\w+, sprints?,
  stand-?ups?, teams?, tools?, tooling, software, passwords?, accounts?, electricity, energy,
  broadband, provider, banks?, banking, e-?mails?, calendars?, backups?, code, builds?,
  tests?, API, users?, customers?, clients?, analytics, dashboards?, docs, documents?, notes,
  videos?, calls?, meetings?, chat, messages?, new office, our office, headquarters,
  HQ, warehouse, production, staging, seats?, table, desks?, subscription, streaming, insurance,
  pension
`)}\b)`;

/** A sentence that tells of a home: `the neighbors are lovely`. */
export const OF_HOME = String.raw`(?=.*\b${anyCase(`
  flat, house, apartment, home, neighbou?r\\w*, council, land(?:lord|lady), rent, garden, boxes,
  unpack\\w*, movers, removal, commut\\w*, street, seaside, beach, coast, countryside, village,
  town, suburbs?, bedrooms?, balcony, kitchen, furniture, curtains, dentist, GP, pediatrician, vet,
  doctor, postcode, zip code
`)}\b)`;

/** What follows a town: nothing, or a time. `We moved to Gold status` goes on. */
export const AND_NO_MORE =
  String.raw`(?=[.!]?$|[.!]\s| (?:last|this|over the|just|recently|yesterday|now)\b|` +
  String.raw` in (?:early |late |the )?(?:${MONTHS.en}|spring|summer|autumn|fall|winter)\b|` +
  String.raw` (?:a|two|three|four|five|six|\d+|some|few|couple of)(?: \w+)? ` +
  String.raw`(?:days?|weeks?|months?) ago)`;
/** As `AND_NO_MORE`, with a new clause. */
export const AND_MORE =
  String.raw`(?:${AND_NO_MORE}|` + String.raw`(?=,|\s(?:and|because|so|with (?:my|our|the))\s))`;

/** Excludes what is still to come, what was long ago, and what is only for some time. */
export const BY_NOW = String.raw`(?!.*\b${anyCase(`
  will, going to, gonna, sign\\w*, clos(?:e|ing), view\\w*, buil[dt]\\w*, buy\\w*, bought,
  offer\\w*, move in, moving in, once, until, till, before, when we, when I, soon, ready, finished,
  next (?:week|month|year|spring|summer|\\w+day), plan\\w*, want\\w*, hop(?:e|ing), could, would,
  found, starts?, begins?, interview\\w*, appl\\w+, holidays?, vacation,
  second (?:home|house|flat|place), weekends?, tenants?, rental, Airbnb, in (?:19|20)\\d\\d,
  years ago, as a (?:kid|child|boy|girl), for an? \\w+, for (?:two|three|four|five|six|\\d+) \\w+,
  then to, back then
`)}\b)(?!.*['’]ll\b)`;

/** Excludes a name after which a clause says that it was no job, or is long over. */
export const LONG_AGO = String.raw`(?!.*\b(?:as an? (?:student|pupil|volunteer)|years ago)\b)`;
