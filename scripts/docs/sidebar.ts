import type { Page } from './pages.ts'

/** A group of the sidebar: pages by their slug, or groups. */
interface Group {
  readonly label: string
  readonly items: readonly (string | Group)[]
}

/** Labels that are shorter than the page title, where the group gives the context. */
const LABELS: Readonly<Record<string, string>> = {
  tutorial: 'Ten minutes, offline',
  guarantees: 'Overview',
  security: 'Security',
  rlm: 'Recursive models',
  context: 'Large inputs',
}

/** `guarantees/*` stands for all pages in that folder that are not listed elsewhere. */
const GROUPS: readonly Group[] = [
  { label: 'Tutorial', items: ['tutorial'] },
  {
    label: 'Tasks',
    items: [
      {
        label: 'Build an agent',
        items: [
          'agents',
          'loop',
          'structured-output',
          'models',
          'schemas',
          'chat',
          'teams',
          'memory',
          'rag',
          'files',
          'prompts',
          'connectors',
          'mcp',
        ],
      },
      { label: 'Limit it', items: ['governance', 'people-and-time', 'flow', 'secrets'] },
      { label: 'Order work in graphs', items: ['graphs'] },
      { label: 'Run generated code', items: ['code-mode', 'repl', 'context', 'rlm', 'programs'] },
      {
        label: 'Run it',
        items: [
          'runs',
          'streams',
          'stores',
          'studio',
          'server',
          'webhooks',
          'telemetry',
          'audit',
          'workers',
          'scale',
          'platforms',
        ],
      },
      { label: 'Test and measure', items: ['testing', 'evals'] },
      {
        label: 'Move from another library',
        items: [
          'migrating/ai-sdk',
          'migrating-from-langgraph',
          'migrating/mastra',
          'migrating/openai-agents',
          'migrating/*',
        ],
      },
      { label: 'More', items: ['*'] },
    ],
  },
  {
    label: 'Explanation',
    items: [
      'concepts',
      'architecture',
      {
        label: 'Guarantees',
        items: [
          'guarantees',
          'guarantees/one-gate',
          'guarantees/journal',
          'guarantees/crash-and-resume',
          'guarantees/replay-and-fork',
          'guarantees/budgets',
          'guarantees/approvals',
          'guarantees/data-flow',
          'guarantees/vm-limits',
          'guarantees/secrets',
          'guarantees/cancel',
          'guarantees/*',
        ],
      },
      'security',
      'vm-safety',
      'comparison',
      { label: 'Inside', items: ['internals/vm'] },
      { label: 'Decisions', items: ['decisions/*'] },
    ],
  },
  {
    label: 'Reference',
    items: [
      'cli',
      'reference/commands',
      'reference/configuration',
      'reference/results',
      'errors',
      'reference/error-codes',
      'reference/journal-entries',
      'internals/journal-format',
      'graph-language',
      'scripts',
      { label: 'Public names', items: ['api', 'reference/*'] },
    ],
  },
]

/** A link or a group in the format of Starlight's configuration. */
export type SidebarItem =
  | { readonly label: string; readonly slug: string }
  | { readonly label: string; readonly collapsed: boolean; readonly items: readonly SidebarItem[] }

/** Builds the sidebar for the existing pages; every page is in it exactly once. */
export function sidebarOf(pages: readonly Page[]): SidebarItem[] {
  const named = new Set(namesIn(GROUPS))
  const resolve = (name: string): Page[] => {
    if (!name.endsWith('*')) return pages.filter((page) => page.slug === name)
    const folder = name.slice(0, -1)
    return pages.filter(
      ({ slug }) =>
        !named.has(slug) &&
        slug.startsWith(folder) &&
        // Pages in folders with a group of their own do not belong to the catch-all group.
        (folder !== '' || ![...named].some((other) => other.endsWith('/*') && slug.startsWith(other.slice(0, -1)))),
    )
  }
  // Only the top-level groups and the group of the current page are expanded, so that the sidebar fits on a screen.
  const build = (group: Group, isTop: boolean): SidebarItem[] => {
    const items = group.items.flatMap((item): SidebarItem[] =>
      typeof item === 'string'
        ? resolve(item).map(({ title, slug }) => ({ label: LABELS[slug] ?? title, slug }))
        : build(item, false),
    )
    return items.length === 0 ? [] : [{ label: group.label, collapsed: !isTop, items }]
  }
  return GROUPS.flatMap((group) => build(group, true))
}

function namesIn(groups: readonly Group[]): string[] {
  return groups.flatMap((group) => group.items.flatMap((item) => (typeof item === 'string' ? [item] : namesIn([item]))))
}
