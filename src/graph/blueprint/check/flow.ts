import { END } from '../blueprint.ts'
import type { GraphView, Ways } from './graph-view.ts'
import { gather, reachable, targetsOf, waysOf } from './graph-view.ts'
import { checkJoins } from './joins.ts'

/** Warns of nodes that never run, branches that end implicitly, loops without an exit, and joins that never complete. */
export function checkFlow(view: GraphView): void {
  const ways = waysOf(view.blueprint)
  const reached = reachable([view.blueprint.start], (name) => targetsOf(ways.get(name)!))
  checkReach(reached, view)
  checkEnds(ways, reached, view)
  checkJoins(ways, reached, view)
}

function checkReach(reached: ReadonlySet<string>, { nodes, paths, report, blueprint }: GraphView): void {
  for (const name of nodes.keys()) {
    if (reached.has(name)) continue
    report.warning('W-rag-unreachable', `Nothing leads to the node \`${name}\`: it never runs.`, {
      path: paths.get(name)!,
      help: `Lead to it from a node that \`${blueprint.start}\` reaches, or leave it out.`,
    })
  }
}

function checkEnds(ways: ReadonlyMap<string, Ways>, reached: ReadonlySet<string>, view: GraphView): void {
  const { nodes, paths, report } = view
  const ends: string[] = []
  const before = new Map<string, string[]>()
  for (const [name, out] of ways) {
    const targets = targetsOf(out)
    for (const target of targets) gather(before, target, name)
    if (targets.length === 0 || out.choices.includes(END) || out.joins.includes(END)) ends.push(name)
    if (targets.length > 0 || out.choices.length > 0 || out.joins.length > 0 || !reached.has(name)) continue
    report.warning('W-rag-dead-end', `The node \`${name}\` has no way out: its branch ends there.`, {
      path: paths.get(name)!,
      help: 'Add `next END` if that is meant, else lead to the node that follows.',
    })
  }
  const ending = reachable(ends, (name) => before.get(name) ?? [])
  const endless = [...nodes.keys()].find((name) => reached.has(name) && !ending.has(name))
  if (endless === undefined) return
  report.warning(
    'W-rag-endless',
    `From the node \`${endless}\` no way leads to \`END\`: it runs until a limit stops it.`,
    {
      path: paths.get(endless)!,
      help: 'Add a route that ends it, such as `when "…" -> END`.',
    },
  )
}
