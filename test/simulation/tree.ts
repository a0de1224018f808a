import { seededRandom } from '../../src/core/index.ts'
import type { Json, Random } from '../../src/core/index.ts'
import type { Mind, RunContext } from '../../src/run/index.ts'

/** A program as data: what a random mind shall do. Every leaf has a label of its own, by which the world knows it. */
export type Node =
  | { readonly do: 'act' | 'look' | 'ask' | 'denied' | 'question' | 'say' | 'draw' | 'step'; readonly label: string }
  | { readonly do: 'flaky'; readonly label: string; readonly failures: number }
  | { readonly do: 'sleep'; readonly label: string; readonly ms: number }
  | { readonly do: 'cancel'; readonly label: string }
  | { readonly do: 'sequence'; readonly of: readonly Node[] }
  | { readonly do: 'parallel'; readonly of: readonly Node[]; readonly inTasks: boolean }
  | { readonly do: 'child' | 'record' | 'allotted'; readonly label: string; readonly of: Node }

interface Growth {
  readonly random: Random
  depth: number
  labels: number
  /** How many more leaves there may be. */
  leaves: number
  /** Branches share one strand here: what they draw depends on who comes first, so they must not draw. */
  isShared: boolean
}

/** The program of a seed. */
export function growTree(seed: number): Node {
  const random = seededRandom(`tree ${seed}`)
  const growth: Growth = { random, depth: 0, labels: 0, leaves: 4 + Math.floor(random.next() * 16), isShared: false }
  const root = sequence(growth, 2 + Math.floor(random.next() * 4))
  // Whoever is cancelled must still be there to be cancelled.
  if (random.next() > 0.06) return root
  const end: Node = {
    do: 'sequence',
    of: [
      { do: 'cancel', label: 'cancel' },
      { do: 'sleep', label: 'for ever', ms: 1e9 },
    ],
  }
  return { do: 'parallel', inTasks: true, of: [root, end] }
}

function sequence(growth: Growth, count: number): Node {
  const of: Node[] = []
  for (let index = 0; index < count && growth.leaves > 0; index++) of.push(grow(growth))
  return { do: 'sequence', of }
}

function grow(growth: Growth): Node {
  const { random } = growth
  const isInner = growth.depth < 4 && random.next() < 0.4
  if (!isInner) return leaf(growth)
  growth.depth += 1
  const node = inner(growth, random.next())
  growth.depth -= 1
  return node
}

function inner(growth: Growth, chance: number): Node {
  const { random } = growth
  const label = (): string => `n${++growth.labels}`
  const few = (): number => 2 + Math.floor(random.next() * 3)
  if (chance < 0.25) return parallel(growth, few(), false)
  if (chance < 0.5) return parallel(growth, few(), true)
  if (chance < 0.6) return sequence(growth, few())
  if (chance < 0.72) return { do: 'record', label: label(), of: apart(growth, () => sequence(growth, few())) }
  return { do: chance < 0.92 ? 'child' : 'allotted', label: label(), of: sequence(growth, few()) }
}

/** A strategy has a name of its own, whoever comes first; tasks and children are numbered. */
function apart(growth: Growth, make: () => Node): Node {
  const before = growth.isShared
  growth.isShared = false
  const node = make()
  growth.isShared = before
  return node
}

function parallel(growth: Growth, count: number, inTasks: boolean): Node {
  const before = growth.isShared
  const of: Node[] = []
  for (let index = 0; index < count; index++) {
    growth.isShared = before || !inTasks
    of.push(sequence(growth, 1 + Math.floor(growth.random.next() * 2)))
  }
  growth.isShared = before
  return { do: 'parallel', of, inTasks }
}

function leaf(growth: Growth): Node {
  const { random } = growth
  growth.leaves -= 1
  const label = `n${++growth.labels}`
  const chance = random.next()
  if (chance < 0.36) return { do: 'act', label }
  if (chance < 0.48) return { do: 'look', label }
  if (chance < 0.6) return { do: 'ask', label }
  if (chance < 0.68) return { do: 'flaky', label, failures: 1 + Math.floor(random.next() * 2) }
  if (chance < 0.74) return { do: 'question', label }
  if (chance < 0.84) return { do: 'sleep', label, ms: Math.floor(random.next() ** 3 * 3_600_000) + 10 }
  if (chance < 0.88) return { do: 'denied', label }
  if (chance < 0.93) return { do: 'say', label }
  return { do: growth.isShared || random.next() < 0.4 ? 'step' : 'draw', label }
}

interface Cost {
  readonly toolCalls: number
  readonly steps: number
}

/** Every process that dies may leave an attempt of each call behind, and every attempt counts. */
const MOST_LIVES = 5

/** What a program may spend: exactly its steps, and its calls with room for the attempts that crashes repeat. */
export function budgetOf(node: Node): Cost {
  const { toolCalls, steps } = costOf(node)
  return { toolCalls: toolCalls * MOST_LIVES, steps }
}

/** How many attempts at calls of tools, and how many steps, a program takes when nothing goes wrong. */
export function costOf(node: Node): Cost {
  switch (node.do) {
    case 'act':
    case 'look':
    case 'ask':
    case 'cancel':
      return { toolCalls: 1, steps: 0 }
    case 'flaky':
      return { toolCalls: 1 + node.failures, steps: 0 }
    case 'step':
      return { toolCalls: 0, steps: 1 }
    case 'sequence':
    case 'parallel':
      return node.of
        .map(costOf)
        .reduce((sum, cost) => ({ toolCalls: sum.toolCalls + cost.toolCalls, steps: sum.steps + cost.steps }), {
          toolCalls: 0,
          steps: 0,
        })
    case 'child':
    case 'allotted':
    case 'record':
      return costOf(node.of)
    default:
      return { toolCalls: 0, steps: 0 }
  }
}

/** Whether a program has a node of this kind. */
export function has(node: Node, what: Node['do']): boolean {
  return labelsOf(node, [what]).size > 0
}

/** The labels of a program's nodes of these kinds. */
export function labelsOf(node: Node, kinds: readonly Node['do'][]): ReadonlySet<string> {
  const labels = new Set<string>()
  if ('label' in node && kinds.includes(node.do)) labels.add(node.label)
  const below = !('of' in node) ? [] : Array.isArray(node.of) ? (node.of as readonly Node[]) : [node.of as Node]
  for (const each of below) for (const label of labelsOf(each, kinds)) labels.add(label)
  return labels
}

/** The mind that does what a tree says; its children are minds of the same kind with a smaller tree. */
export const treeMind: Mind = {
  kind: 'program',
  name: 'tree',
  async start(input, context) {
    const result = await carryOut(input as unknown as Node, context)
    if (context.depth > 0) return result
    // Nothing of the budget is lost or counted twice: what was spent is part of the result. Attempts differ with the crashes.
    return context.record('spent', () => {
      const { toolCalls = 0, steps = 0 } = context.budget.spent
      return { result, steps, spent: toolCalls }
    })
  },
}

async function carryOut(node: Node, context: RunContext): Promise<Json> {
  checkBudget(context)
  switch (node.do) {
    case 'sequence': {
      const values: Json[] = []
      for (const each of node.of) values.push(await carryOut(each, context))
      return values
    }
    case 'parallel':
      return Promise.all(
        node.of.map((each) =>
          node.inTasks ? context.task('branch', (strand) => carryOut(each, strand)) : carryOut(each, context),
        ),
      )
    case 'record':
      return context.record(node.label, (strand) => carryOut(node.of, strand))
    case 'say':
      context.append(node.label)
      return node.label
    case 'draw':
      return [context.random(), context.newId('x').slice(-11)]
    case 'step':
      return context.step()?.status ?? 'stepped'
    default:
      return perform(node, context)
  }
}

type Leaf = Exclude<Node, { readonly do: 'sequence' | 'parallel' | 'record' | 'say' | 'draw' | 'step' }>

async function perform(node: Leaf, context: RunContext): Promise<Json> {
  const outcome = await context.perform(effectOf(node, context))
  checkBudget(context)
  return outcome.status === 'ok' ? outcome.value : outcome.status
}

function effectOf(node: Leaf, context: RunContext): Parameters<RunContext['perform']>[0] {
  switch (node.do) {
    case 'child':
      return { kind: 'program', name: 'tree', input: node.of }
    case 'allotted':
      return { kind: 'program', name: 'tree', input: node.of, allot: budgetOf(node.of) }
    case 'sleep':
      return { kind: 'sleep', name: 'sleep', input: { until: context.now() + node.ms, label: node.label } }
    case 'question':
      return { kind: 'question', name: 'human', input: { text: node.label } }
    default:
      return { kind: 'tool', name: node.do, input: node }
  }
}

/** Spent and reserved together never pass a limit, whenever anyone looks. */
function checkBudget({ budget }: RunContext): void {
  for (const unit of ['toolCalls', 'steps'] as const) {
    const [limit, spent, reserved] = [budget.limits[unit], budget.spent[unit] ?? 0, budget.reserved[unit] ?? 0]
    if (limit !== undefined && spent + reserved > limit)
      throw new Error(`budget.${unit}: ${spent} spent and ${reserved} reserved of ${limit}`)
  }
}
