/** What the front matter of a Markdown document says about its memories. */
import { isRecord } from '#core/is-record.ts';
import { TAGS_MAX } from '#core/records/memory.ts';
import { metadataProblem } from '#core/sources/metadata-limits.ts';
import { frontMatterLines } from '#core/text/front-matter.ts';
import { parseSource } from '#crds/yaml-source.ts';

const TAG_LENGTH_MAX = 128;
/** Fields that the import sets itself. */
const OWN = new Set(['file', 'heading']);

interface FrontMatter {
  readonly tags: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
}

const NONE: FrontMatter = { tags: [], metadata: {} };

/**
 * Returns the tags of YAML front matter, and its other fields as metadata. Nothing for TOML, for
 * text that is not YAML, and for fields that metadata cannot hold.
 */
export function frontMatterOf(document: string): FrontMatter {
  const lines = document.split('\n');
  const count = frontMatterLines(lines);
  if (count === 0 || lines[0]?.startsWith('---') !== true) return NONE;
  const { tags, ...fields } = fieldsIn(lines.slice(1, count - 1).join('\n'));
  const kept = Object.entries(fields).filter(([name, value]) => {
    return !OWN.has(name) && metadataProblem({ [name]: value }) === null;
  });
  const metadata = Object.fromEntries(kept);
  return { tags: tagsOf(tags), metadata: metadataProblem(metadata) === null ? metadata : {} };
}

/** A date stays a text, as its author wrote it. */
function fieldsIn(yaml: string): Readonly<Record<string, unknown>> {
  const { documents, problems } = parseSource('front matter', yaml);
  const fields = problems.length === 0 ? documents[0]?.value : null;
  return isRecord(fields) ? fields : {};
}

/** Tags are a list, or one text with commas or spaces, and may begin with `#`. */
function tagsOf(given: unknown): readonly string[] {
  const list: readonly unknown[] =
    typeof given === 'string' ? given.split(/[,\s]+/u) : Array.isArray(given) ? given : [];
  const tags = list
    .filter((tag) => typeof tag === 'string' || typeof tag === 'number')
    .map((tag) => String(tag).trim().replace(/^#/u, ''))
    .filter((tag) => tag !== '' && tag.length <= TAG_LENGTH_MAX);
  return [...new Set(tags)].slice(0, TAGS_MAX);
}
