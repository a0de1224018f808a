import { END } from '../blueprint.ts'
import { didYouMean } from '../report.ts'
import type { GraphView } from './graph-view.ts'

/** Checks that every reference to a node exists. */
export function checkTargets(view: GraphView): void {
  const { blueprint, report } = view
  if (blueprint.start === '')
    report.missing('E-rag-missing-start', `The graph \`${blueprint.name}\` does not say where it starts.`, {
      path: '',
      help: () => {
        const first = blueprint.nodes[0]?.name
        return first === undefined ? 'Add a node and `start <its name>`.' : `Add \`start ${first}\`.`
      },
    })
  else checkNode(blueprint.start, '/start', 'A graph cannot start at `END`.', view)
  blueprint.edges.forEach(({ from, to }, index) => {
    checkNode(from, `/edges/${index}/from`, 'Nothing leads away from `END`.', view)
    checkTarget(to, `/edges/${index}/to`, view)
  })
  blueprint.joins.forEach(({ sources, to }, index) => {
    checkSources(sources, `/joins/${index}`, view)
    checkTarget(to, `/joins/${index}/to`, view)
    if (sources.includes(to))
      report.error('E-rag-invalid-value', `The join waits for \`${to}\`, which it leads to.`, {
        path: `/joins/${index}/to`,
      })
  })
  blueprint.nodes.forEach((node, index) => {
    const path = `/nodes/${index}`
    if (node.next !== undefined) checkTarget(node.next, `${path}/next`, view)
    if (node.command?.goto !== undefined) checkTarget(node.command.goto, `${path}/command/goto`, view)
    node.routes?.forEach((route, at) => checkTarget(route.to, `${path}/routes/${at}/to`, view))
    node.sends?.forEach((send, at) =>
      checkNode(send.to, `${path}/sends/${at}/to`, 'Nothing can be sent to `END`.', view),
    )
    if (node.sources) checkSources(node.sources, path, view)
    node.ends?.forEach((end, at) => checkTarget(end, `${path}/ends/${at}`, view))
  })
}

function checkSources(sources: readonly string[], path: string, view: GraphView): void {
  const list = `${path}/sources`
  const seen = new Set<string>()
  sources.forEach((source, at) => {
    checkNode(source, `${list}/${at}`, '`END` never finishes, so no join can wait for it.', view)
    if (seen.has(source))
      view.report.warning('W-rag-repeated-name', `The join names \`${source}\` twice.`, {
        path: `${list}/${at}`,
        help: 'Name each source once.',
      })
    seen.add(source)
  })
  if (sources.length === 0)
    view.report.error('E-rag-invalid-value', 'A join without sources would never run.', {
      path: list,
      help: 'Name the nodes that it waits for: `[a, b]`.',
    })
}

/** A node or END. */
function checkTarget(name: string, path: string, view: GraphView): void {
  if (name === END || view.nodes.has(name)) return
  unknown(name, path, [...view.nodes.keys(), END], view)
}

function checkNode(name: string, path: string, ofEnd: string, view: GraphView): void {
  if (view.nodes.has(name)) return
  if (name === END) view.report.error('E-rag-reserved-name', ofEnd, { path, help: 'Name a node.' })
  else unknown(name, path, [...view.nodes.keys()], view)
}

function unknown(name: string, path: string, known: readonly string[], { report }: GraphView): void {
  report.error('E-rag-unknown-node', `There is no node \`${name.slice(0, 60)}\`.`, {
    path,
    help: didYouMean(name, known, `Add \`node ${name} { … }\`.`),
  })
}
