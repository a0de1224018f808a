import type { GraphView, Ways } from './graph-view.ts'
import { gather, joinsOf, reachable, targetsOf } from './graph-view.ts'

/** Larger graphs are not checked, because the check is quadratic. */
const NODES_MAX = 500
const SOURCES_MAX = 12

/** Warns of joins whose sources are mutually exclusive: the join continues without the others, so it waits for nothing. */
export function checkJoins(ways: ReadonlyMap<string, Ways>, reached: ReadonlySet<string>, view: GraphView): void {
  if (view.nodes.size > NODES_MAX) return
  for (const { sources, to, path } of joinsOf(view.blueprint)) {
    const names = [...new Set(sources)].slice(0, SOURCES_MAX)
    const missing = names.find((name) => !reached.has(name))
    if (missing !== undefined) {
      if (names.some((name) => reached.has(name)))
        warn(`\`${missing}\`, which never runs`, 'Lead to it, or leave it out of the join.', path, view)
      continue
    }
    const pair = exclusivePair(names, ways)
    if (pair !== undefined)
      warn(
        `both \`${pair[0]}\` and \`${pair[1]}\`: only one of them runs`,
        `Lead from each of them to \`${to}\` with \`next\`, or start both with \`sends\`.`,
        path,
        view,
      )
  }
}

function warn(reason: string, help: string, path: string, { report }: GraphView): void {
  report.warning('W-rag-join-never', `The join cannot wait for ${reason}.`, { path, help })
}

/** Two nodes that never run in the same run. */
function exclusivePair(names: readonly string[], ways: ReadonlyMap<string, Ways>): [string, string] | undefined {
  const before = new Map<string, string[]>()
  for (const [name, out] of ways) for (const target of targetsOf(out)) gather(before, target, name)
  /** The predecessors of a node, including itself. */
  const leading = new Map(names.map((name) => [name, reachable([name], (each) => before.get(each) ?? [])]))
  const forks = [...ways.values()].map(branchesOf).filter((branches) => branches.length > 1)
  for (const [at, a] of names.entries())
    for (const b of names.slice(at + 1)) {
      const toA = leading.get(a)!
      const toB = leading.get(b)!
      if (toA.has(b) || toB.has(a)) continue
      if (!forks.some((branches) => isFork(branches, toA, toB))) return [a, b]
    }
  return undefined
}

/** The parallel branches that a node starts; of the targets in one branch only one runs. */
function branchesOf({ choices, sends, joins }: Ways): string[][] {
  return [
    ...(choices.length > 0 ? [[...choices]] : []),
    ...sends.flatMap(({ to, isMany }) => (isMany ? [[to], [to]] : [[to]])),
    ...joins.map((to) => [to]),
  ]
}

function isFork(branches: string[][], toA: ReadonlySet<string>, toB: ReadonlySet<string>): boolean {
  return branches.some((one, index) =>
    branches.some((other, at) => at !== index && one.some((to) => toA.has(to)) && other.some((to) => toB.has(to))),
  )
}
