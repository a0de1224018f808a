import type { Page } from './pages.ts'
import type { SidebarItem } from './sidebar.ts'

const ABOUT =
  'A TypeScript runtime for AI agents: every action is checked against a policy before it happens and recorded in a ' +
  'tamper-evident journal. Runs survive crashes, wait for approvals, keep to a budget, and can be replayed, forked and audited.'

/** Renders `llms.txt` (llmstxt.org): a list of the pages with one sentence each, linked to the Markdown files beside the pages of the site. */
export function renderLlmsList(sidebar: readonly SidebarItem[], pages: readonly Page[]): string {
  const byslug = new Map(pages.map((page) => [page.slug, page]))
  const linesOf = (items: readonly SidebarItem[]): string[] =>
    items.flatMap((item) => {
      if ('items' in item) return linesOf(item.items)
      const page = byslug.get(item.slug)
      return page === undefined ? [] : [`- [${page.title}](${rawPath(page)}): ${page.description}`]
    })
  const sections = sidebar.map(
    (group) => `## ${group.label}\n\n${linesOf('items' in group ? group.items : []).join('\n')}`,
  )
  return (
    [`# Mandate`, `> ${ABOUT}`, 'All pages in one file: [llms-full.txt](llms-full.txt)', ...sections].join('\n\n') +
    '\n'
  )
}

/** Renders all pages as one text, for models with a large context window. */
export function renderLlmsFull(pages: readonly Page[]): string {
  return pages.map((page) => `# ${page.title}\n\nSource: ${page.path}\n\n${page.body}\n`).join('\n---\n\n')
}

/** Returns the path of a page's Markdown on the site, which is the same as in `docs/`, so that relative links between pages work. */
export function rawPath(page: Page): string {
  return page.path.replace(/^docs\//, '')
}
