import { isRecord } from '../../../core/index.ts'
import { FAILED } from '../blueprint.ts'
import type { NodeBlueprint } from '../blueprint.ts'
import type { GraphView } from './graph-view.ts'

/** Checks that each node is left in one way (by `next`, `routes`, `goto` or an edge), and that its routes are distinct. */
export function checkRoutes(view: GraphView): void {
  checkEdges(view)
  const edges = new Map(view.blueprint.edges.map((edge, index) => [edge.from, `/edges/${index}`]))
  view.blueprint.nodes.forEach((node, index) => {
    const path = `/nodes/${index}`
    checkWays(node, path, edges.get(node.name), view)
    checkLabels(node, path, view)
    checkAnswers(node, path, view)
    checkSends(node, path, view)
    checkConditions(node, path, view)
  })
}

function checkEdges({ blueprint, report }: GraphView): void {
  const first = new Map<string, number>()
  blueprint.edges.forEach(({ from }, index) => {
    const before = first.get(from)
    first.set(from, before ?? index)
    if (before === undefined || report.isBuilt) return
    report.error('E-rag-duplicate-edge', `A second edge leads away from \`${from}\`.`, {
      path: `/edges/${index}`,
      related: [{ path: `/edges/${before}`, label: 'first here' }],
      help: 'Choose between targets with `routes`; start several with `sends`.',
    })
  })
}

function checkWays(node: NodeBlueprint, path: string, edge: string | undefined, { report }: GraphView): void {
  const ways: [what: string, path: string][] = []
  if (node.next !== undefined) ways.push(['`next`', `${path}/next`])
  // In addition to another way, a node may have a route for failures.
  if (node.routes?.some(({ label }) => label !== FAILED)) ways.push(['`routes`', `${path}/routes`])
  if (node.command?.goto !== undefined) ways.push(['`goto`', `${path}/command/goto`])
  if (edge !== undefined) ways.push(['an edge', edge])
  const [first, ...others] = ways
  for (const [what, place] of others)
    report.error('E-rag-two-routes', `The node \`${node.name}\` is left by ${first![0]} and by ${what}.`, {
      path: place,
      related: [{ path: first![1], label: 'the other way' }],
      help: 'Keep one of them; `routes { … otherwise -> x }` can hold all targets.',
    })
}

function checkLabels(node: NodeBlueprint, path: string, { report }: GraphView): void {
  const first = new Map<string, number>()
  node.routes?.forEach((route, index) => {
    const place = `${path}/routes/${index}`
    if (route.label !== undefined && route.when !== undefined)
      report.error('E-rag-invalid-value', 'A route has a label or a condition, not both.', { path: place })
    if (route.label?.trim() === '')
      report.error('E-rag-invalid-value', 'A label cannot be empty.', { path: `${place}/label` })
    const key =
      route.label !== undefined ? `label ${route.label}` : route.when !== undefined ? `when ${route.when}` : ''
    const before = first.get(key)
    first.set(key, before ?? index)
    if (before === undefined) return
    const finding = { path: place, related: [{ path: `${path}/routes/${before}`, label: 'first here' }] }
    if (key.startsWith('when'))
      report.warning('W-rag-same-condition', 'The same condition stands above: this route is never taken.', finding)
    else {
      const what = key === '' ? '`otherwise`' : `the label \`${route.label}\``
      report.error('E-rag-duplicate-route', `A second route has ${what}.`, { ...finding, help: 'Keep one of them.' })
    }
  })
}

/** Checks that the answers of a person match the labels of the routes. */
function checkAnswers(node: NodeBlueprint, path: string, { report }: GraphView): void {
  const { options, routes } = node
  if (node.kind !== 'interrupt' || !options || !routes || options.length === 0) return
  const answers = new Set(options)
  const labels = new Set(routes.map((route) => route.label))
  routes.forEach(({ label }, index) => {
    if (label === undefined || label === FAILED || answers.has(label)) return
    report.warning('W-rag-unknown-answer', `\`${label}\` is none of the \`options\`, so nobody can answer it.`, {
      path: `${path}/routes/${index}/label`,
      help: `Add "${label}" to \`options\`, or leave the route out.`,
    })
  })
  if (labels.has(undefined)) return
  options.forEach((option, index) => {
    if (labels.has(option)) return
    report.warning('W-rag-unknown-answer', `The answer "${option}" leads nowhere.`, {
      path: `${path}/options/${index}`,
      help: `Add a route for it, or \`otherwise -> …\`.`,
    })
  })
}

/** With `each`, an input is shared by all copies, besides their items. */
function checkSends(node: NodeBlueprint, path: string, { report }: GraphView): void {
  node.sends?.forEach((send, index) => {
    if (send.each === undefined || send.input === undefined || isRecord(send.input)) return
    report.error('E-rag-invalid-value', 'Beside `each`, the input of a send is an object: the item is added to it.', {
      path: `${path}/sends/${index}/input`,
      help: 'Write `send x { key: "value" } each "…"`, or leave the input out.',
    })
  })
}

/** Warns if a run would fail because no condition holds. */
function checkConditions({ routes = [] }: NodeBlueprint, path: string, { report }: GraphView): void {
  const others = routes.filter(({ label }) => label !== FAILED)
  if (others.length === 0 || others.some(({ when }) => when === undefined)) return
  report.warning('W-rag-no-otherwise', 'Where none of these conditions holds, the run fails.', {
    path: `${path}/routes`,
    help: 'Add `otherwise -> …`.',
  })
}
