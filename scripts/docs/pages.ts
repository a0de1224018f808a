import { globSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'

/** One page of the documentation: the Markdown that GitHub and the package show. */
export interface Page {
  /** Path in the repository, such as `docs/guarantees/one-gate.md`. */
  readonly path: string
  /** Path on the site without slashes at its ends, such as `guarantees/one-gate`. */
  readonly slug: string
  readonly title: string
  /** The first sentence, for search results and lists. */
  readonly description: string
  /** The text after the title. */
  readonly body: string
}

const REPOSITORY = 'https://github.com/mandate-runtime/mandate'

/** Reads all pages in `docs/`, ordered by path. */
export function readPages(root: string): Page[] {
  return globSync('docs/**/*.md', { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .toSorted()
    .map((path) => readPage(path, readFileSync(join(root, path), 'utf8')))
}

/** Parses a Markdown page into its title, description and body. */
export function readPage(path: string, text: string): Page {
  const [first = '', ...rest] = text.split('\n')
  if (!first.startsWith('# ')) throw new Error(`${path}: the first line of a page is its title, "# …"`)
  const body = rest.join('\n').trim()
  const paragraph = body.split('\n\n').find((part) => /^[A-Za-z`*[]/.test(part)) ?? ''
  return {
    path,
    slug: slugOf(path),
    title: plain(first.slice(2)),
    description: firstSentence(plain(paragraph)),
    body,
  }
}

function slugOf(path: string): string {
  return path
    .replace(/^docs\//, '')
    .replace(/(\/index)?\.md$/, '')
    .toLowerCase()
}

/** Removes Markdown formatting. */
function plain(text: string): string {
  return text
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*]/g, '')
    .replaceAll('\n', ' ')
    .trim()
}

function firstSentence(text: string): string {
  return /^.*?[.:](?= |$)/.exec(text)?.[0].replace(/:$/, '.') ?? text
}

/** Renders a page for Starlight: with front matter, and with links rewritten to pages of the site or files in the repository. */
export function renderPage(page: Page, root: string, generated: ReadonlySet<string> = new Set()): string {
  const front = {
    title: page.title,
    description: page.description,
    ...(generated.has(page.path) ? { editUrl: false } : { editUrl: `${REPOSITORY}/edit/main/${page.path}` }),
  }
  const lines = Object.entries(front).map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
  const body = outsideCode(page.body, (text) => themedPictures(rewriteLinks(text, page, root), page))
  return `---\n${lines.join('\n')}\n---\n\n${weighted(page.slug, body)}\n`
}

/** Search weights of pages that should rank below pages about tasks. */
const WEIGHTS: readonly (readonly [prefix: string, weight: number])[] = [
  ['decisions/', 0.1],
  ['reference/', 0.4],
  ['migrating', 0.4],
  ['comparison', 0.4],
]

/** Wraps a page with its search weight: search results show tasks first, then the reference, then decision records. */
function weighted(slug: string, body: string): string {
  const weight = WEIGHTS.find(([prefix]) => slug.startsWith(prefix))?.[1]
  return weight === undefined ? body : `<div data-pagefind-weight="${weight}">\n\n${body}\n\n</div>`
}

/** Applies a change to everything but fenced and inline code. */
export function outsideCode(text: string, change: (text: string) => string): string {
  const parts = text.split(/(^[ \t]*(?:`{3,}|~{3,})[\s\S]*?^[ \t]*(?:`{3,}|~{3,})[ \t]*$|`[^`\n]*`)/m)
  // Inline code is replaced by a marker and restored after the change, because splitting at code in the text of a link would break the link.
  const kept: string[] = []
  const marked = parts.map((part, index) => (index % 2 === 0 ? part : `\uE000${kept.push(part) - 1}\uE001`)).join('')
  return change(marked).replace(/\uE000(\d+)\uE001/g, (_, index: string) => kept[Number(index)]!)
}

function rewriteLinks(text: string, page: Page, root: string): string {
  return text.replace(
    /(\]\(<?)([^)\s>]+)(>?(?:\s+"[^"]*")?\))/g,
    (_, open: string, link: string, close: string) => `${open}${linkOnSite(link, page, root)}${close}`,
  )
}

/** Converts a link of a page to a link on the site. */
function linkOnSite(link: string, page: Page, root: string): string {
  if (/^[a-z][a-z+.-]*:/i.test(link) || link.startsWith('#')) return link
  const [file = '', anchor] = link.split('#')
  const target = posix.normalize(posix.join(dirname(page.path), file)).replace(/\/$/, '')
  const hash = anchor === undefined ? '' : `#${anchor}`
  if (target === 'README.md') return `${upFrom(page.slug)}${hash}`
  if (target.startsWith('docs/') && target.endsWith('.md')) return `${upFrom(page.slug)}${slugOf(target)}/${hash}`
  if (target.startsWith('docs/images/')) return `${upFrom(page.slug)}${target.slice('docs/'.length)}`
  const kind = statSync(join(root, target), { throwIfNoEntry: false })?.isDirectory() === true ? 'tree' : 'blob'
  return `${REPOSITORY}/${kind}/main/${target}${hash}`
}

/** Returns the relative path from a page to the root of the site, so that the site can be served under any path. */
function upFrom(slug: string): string {
  return slug === '' ? './' : '../'.repeat(slug.split('/').length)
}

/** Replaces a `<picture>` for both colour schemes by two images, of which the site shows the one for the selected theme. */
function themedPictures(text: string, page: Page): string {
  const picture = /<picture>\s*<source[^>]*srcset="([^"]+)">\s*<img alt="([^"]*)" src="([^"]+)">\s*<\/picture>/g
  return text.replace(picture, (_, dark: string, alt: string, light: string) => {
    const image = (source: string, hidden: string): string =>
      `<img class="${hidden}:sl-hidden" alt="${alt}" src="${upFrom(page.slug)}images/${posix.basename(source)}" loading="lazy">`
    return `${image(light, 'dark')}\n${image(dark, 'light')}`
  })
}

/** Renders the home page of the site: the README without its title. */
export function renderHome(root: string): string {
  const text = readFileSync(join(root, 'README.md'), 'utf8')
  const [intro = '', rest = ''] = text.split(/^## Documents$/m)[0]!.split(/(?=^```\n)/m, 2)
  const page: Page = { ...readPage('README.md', text), slug: '', body: '' }
  const [first = '', second = ''] = intro.split('\n').slice(2)
  const front = [
    'title: Mandate',
    `description: ${JSON.stringify(plain(first))}`,
    'template: splash',
    'editUrl: false',
    // Excluded from the search, because it repeats the content of other pages.
    'pagefind: false',
    'hero:',
    `  title: Agents within their mandate`,
    `  tagline: ${JSON.stringify(plain(first))}`,
    '  actions:',
    '    - { text: Ten minutes offline, link: ./tutorial/, icon: right-arrow }',
    '    - { text: What it guarantees, link: ./guarantees/, variant: minimal }',
    '    - { text: Compared with others, link: ./comparison/, variant: minimal }',
  ]
  const whole = text.slice(text.indexOf(rest)).split(/^## Documents$/m)[0]!
  const body = outsideCode(`${second}\n\n${whole}`, (part) => themedPictures(rewriteLinks(part, page, root), page))
  return `---\n${front.join('\n')}\n---\n\n${body}\n`
}
