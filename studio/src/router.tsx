import { Link, createRootRoute, createRoute, createRouter } from '@tanstack/react-router'
import { PLACE } from './api/place.ts'
import { PageProblem, lazyPage } from './shell/page-code.tsx'
import { Shell } from './shell/shell.tsx'
import { Runs } from './pages/runs/runs.tsx'
import { Empty } from './parts/message.tsx'

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)
const number = (value: unknown): number | undefined =>
  Number.isSafeInteger(Number(value)) && Number(value) > 0 ? Number(value) : undefined

/** Converts JSON back to text: the router parses JSON in an address, but the pages use it as text. */
const json = (value: unknown): string | undefined =>
  typeof value === 'string' || value === undefined ? text(value) : JSON.stringify(value)

/** Removes undefined values, so that links stay short. */
function present<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }
}

const root = createRootRoute({
  component: Shell,
  notFoundComponent: () => (
    <div className="page">
      <Empty title="There is no such page">
        <p>
          Go to <Link to="/">all runs</Link>, or choose a page above.
        </p>
      </Empty>
    </div>
  ),
})

const runsRoute = createRoute({
  getParentRoute: () => root,
  path: '/',
  validateSearch: (search) => present({ filter: text(search['filter']) }),
  component: Runs,
})

export const TABS = ['timeline', 'chat', 'graph', 'notebook', 'state', 'journal'] as const
export type Tab = (typeof TABS)[number]

const runRoute = createRoute({
  getParentRoute: () => root,
  path: '/runs/$runId',
  validateSearch: (search) =>
    present({
      tab: TABS.find((tab) => tab === search['tab']),
      at: number(search['at']),
      in: text(search['in']),
      filter: text(search['filter']),
    }),
  component: lazyPage(() => import('./pages/run/run.tsx'), 'Run'),
})

const inboxRoute = createRoute({
  getParentRoute: () => root,
  path: '/inbox',
  validateSearch: (search) => present({ item: text(search['item']), filter: text(search['filter']) }),
  component: lazyPage(() => import('./pages/inbox/inbox.tsx'), 'Inbox'),
})

const compareRoute = createRoute({
  getParentRoute: () => root,
  path: '/compare',
  validateSearch: (search) => present({ a: text(search['a']), b: text(search['b']) }),
  component: lazyPage(() => import('./pages/compare/compare.tsx'), 'Compare'),
})

const agentsRoute = createRoute({
  getParentRoute: () => root,
  path: '/agents',
  validateSearch: (search) => present({ tab: search['tab'] === 'prompts' ? ('prompts' as const) : undefined }),
  component: lazyPage(() => import('./pages/agents/agents.tsx'), 'Agents'),
})

const agentRoute = createRoute({
  getParentRoute: () => root,
  path: '/agents/$agentId',
  validateSearch: (search) => present({ session: text(search['session']) }),
  component: lazyPage(() => import('./pages/agents/agent-chat.tsx'), 'AgentChat'),
})

const costsRoute = createRoute({
  getParentRoute: () => root,
  path: '/costs',
  component: lazyPage(() => import('./pages/costs/costs.tsx'), 'Costs'),
})

const evalsRoute = createRoute({
  getParentRoute: () => root,
  path: '/evals',
  component: lazyPage(() => import('./pages/evals/evals.tsx'), 'Evals'),
})

const evalRoute = createRoute({
  getParentRoute: () => root,
  path: '/evals/$evalId',
  component: lazyPage(() => import('./pages/evals/eval.tsx'), 'Eval'),
})

const workersRoute = createRoute({
  getParentRoute: () => root,
  path: '/workers',
  component: lazyPage(() => import('./pages/workers/workers.tsx'), 'Workers'),
})

const policyRoute = createRoute({
  getParentRoute: () => root,
  path: '/policy',
  validateSearch: (search) =>
    present({
      tool: text(search['tool']),
      agent: text(search['agent']),
      input: json(search['input']),
      labels: text(search['labels']),
    }),
  component: lazyPage(() => import('./pages/policy/policy.tsx'), 'Policy'),
})

const doctorRoute = createRoute({
  getParentRoute: () => root,
  path: '/doctor',
  component: lazyPage(() => import('./pages/doctor/doctor.tsx'), 'Doctor'),
})

const routeTree = root.addChildren([
  runsRoute,
  runRoute,
  inboxRoute,
  compareRoute,
  agentsRoute,
  agentRoute,
  costsRoute,
  evalsRoute,
  evalRoute,
  workersRoute,
  policyRoute,
  doctorRoute,
])

export const router = createRouter({
  routeTree,
  basepath: PLACE === '' ? '/' : PLACE,
  defaultErrorComponent: PageProblem,
  defaultPreload: 'intent',
  scrollRestoration: false,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
