import { setImmediate as nextTurn } from 'node:timers/promises'
import { canonical, manualClock, seededRandom } from '../../src/core/index.ts'
import type { Json, ManualClock } from '../../src/core/index.ts'
import { isEnded, memoryJournal } from '../../src/journal/index.ts'
import type { Journal } from '../../src/journal/index.ts'
import { Kernel, deterministicRandom } from '../../src/run/index.ts'
import type { RunOutcome, RunSpec } from '../../src/run/index.ts'
import { essence, linesOf } from './comparison.ts'
import { FAULTS, livedJournal } from './life.ts'
import type { LifePlan, LivedJournal } from './life.ts'
import { budgetOf, costOf, growTree, has, labelsOf, treeMind } from './tree.ts'
import type { Node } from './tree.ts'
import { World } from './world.ts'

/** How one seed goes: as many lives as there are plans, and one more in which nothing goes wrong. */
export interface Scenario {
  readonly seed: number
  readonly lives: readonly LifePlan[]
  readonly slowness: number
  /** A human in the process answers at once; else the run suspends and is answered from outside. */
  readonly isAttended: boolean
}

export function scenarioOf(seed: number): Scenario {
  const random = seededRandom(`scenario ${seed}`)
  const slowness = Math.floor(random.next() * 4)
  const isDoubling = random.next() < 0.3
  const lives = Array.from({ length: 1 + Math.floor(random.next() * 4) }, (_, index): LifePlan => {
    const fault = FAULTS[Math.floor(random.next() * FAULTS.length)]!
    return { seed: `${seed} ${index}`, fault, at: 1 + Math.floor(random.next() ** 2 * 40), slowness, isDoubling }
  })
  return { seed, lives, slowness: 1 + Math.floor(random.next() * 6), isAttended: random.next() < 0.5 }
}

export interface Play {
  readonly store: Journal
  readonly world: World
  readonly outcome: RunOutcome
  readonly kernel: Kernel
  readonly faults: number
}

/** Plays a program through its lives until it ends. */
export async function play(tree: Node, scenario: Scenario): Promise<Play> {
  const store = memoryJournal()
  const clock = manualClock(1_000_000)
  const world = new World(scenario.seed, scenario.slowness)
  const spec: RunSpec = {
    kind: 'program',
    name: 'tree',
    input: tree,
    runId: 'r',
    seed: `s${scenario.seed}`,
    budget: budgetOf(tree),
  }
  let faults = 0
  const calm: LifePlan = { seed: `${scenario.seed} calm`, at: 0, slowness: 0, isDoubling: false }
  for (const [index, plan] of [...scenario.lives, calm].entries()) {
    const lived = livedJournal(store, plan)
    const kernel = makeKernel(lived, { clock, world, scenario, index })
    const outcome = await live(kernel, lived, { clock, world, spec })
    if (outcome !== undefined) return { store, world, outcome, kernel, faults }
    faults += 1
    lived.end()
  }
  throw new Error('the run did not end although nothing went wrong any more')
}

interface Stage {
  readonly clock: ManualClock
  readonly world: World
}

function makeKernel(
  { journal, life }: LivedJournal,
  { clock, world, scenario, index }: Stage & { scenario: Scenario; index: number },
): Kernel {
  const kernel = new Kernel({
    journal,
    clock,
    random: deterministicRandom(`${scenario.seed} ${index}`),
    mandate: { deny: ['denied'] },
    onApproval: scenario.isAttended
      ? async (request) => (life.alive ? world.answer(request) : new Promise(() => {}))
      : undefined,
  })
  kernel.registry.registerMind(treeMind)
  for (const tool of world.tools(life, () => kernel.cancel('r', 'called off'))) kernel.registry.registerTool(tool)
  return kernel
}

/** One life: until the run has ended (then with its outcome), or the process has died or was told that its journal failed. */
async function live(
  kernel: Kernel,
  lived: LivedJournal,
  { clock, world, spec }: Stage & { spec: RunSpec },
): Promise<RunOutcome | undefined> {
  for (let rounds = 0; rounds < 1_000; rounds++) {
    const outcome = await passing(kernel.run(spec), lived, clock)
    if (outcome === undefined || (outcome.state === 'suspended' && outcome.reason === 'disk')) return undefined
    if (outcome.state !== 'suspended') return outcome
    const requests = await passing(kernel.approvals('r'), lived, clock)
    for (const { id, ...request } of requests ?? [])
      await passing(kernel.respond(id, world.answer({ id, ...request })), lived, clock)
    if (requests === undefined) return undefined
    if (requests.length === 0 && outcome.wakeAt !== undefined) clock.advance(Math.max(0, outcome.wakeAt - clock.now()))
  }
  throw new Error('the run suspends again and again')
}

/** Waits for something while time passes, by leaps, whenever everything stands still. `undefined` when the process died or lost its journal. */
async function passing<T>(
  promise: Promise<T>,
  { died, calls }: LivedJournal,
  clock: ManualClock,
): Promise<T | undefined> {
  const came: { result?: { value: T } | { error: unknown } | 'dead' } = {}
  promise.then(
    (value) => (came.result = { value }),
    (error: unknown) => (came.result = { error }),
  )
  void died.then(() => (came.result ??= 'dead'))
  let seen = calls()
  for (let still = 0; came.result === undefined; still++) {
    await nextTurn()
    if (calls() !== seen) still = 0
    seen = calls()
    if (still < 40) continue
    if (clock.next === undefined || still > 5_000) throw new Error('everything stands still')
    clock.advance(Math.max(0, clock.next - clock.now()))
  }
  const { result } = came
  if (result === 'dead') return undefined
  if ('value' in result) return result.value
  const { code } = result.error as { code?: string }
  // Someone took the run from us, the store refused, or an answer came twice: none of these ends the run.
  if (
    code !== undefined &&
    ['LEASE_LOST', 'LEASE_HELD', 'STORE_FAILED', 'DISK_FULL', 'APPROVAL_STALE', 'NOT_FOUND'].includes(code)
  )
    return undefined
  throw result.error
}

/** Plays one seed with and without faults and compares. Throws when anything differs that must not. Returns how many faults there were. */
export async function simulate(seed: number): Promise<number> {
  const tree = growTree(seed)
  const calm = await play(tree, { ...scenarioOf(seed), lives: [] })
  const rough = await play(tree, scenarioOf(seed))
  await checkWhole(rough, tree)
  if (has(tree, 'cancel')) return rough.faults
  checkSpent(calm, costOf(tree).toolCalls)
  checkSpent(rough)
  const results = [calm, rough].map(({ outcome }) => canonical(essence(outcome as unknown as Json)))
  if (results[0] !== results[1]) throw new Error(`another result:\n  calm  ${results[0]}\n  rough ${results[1]}`)
  const [expected, found] = [await linesOf(calm.store), await linesOf(rough.store)]
  const at = expected.findIndex((line, index) => line !== found[index])
  if (at >= 0 || expected.length !== found.length) {
    throw new Error(
      `another journal (${expected.length} and ${found.length} lines), first at:\n  calm  ${expected.at(at)}\n  rough ${found.at(at)}`,
    )
  }
  return rough.faults
}

/** Every call that reached the world was counted; with `exactly`, nothing else was. */
function checkSpent({ outcome, world }: Play, exactly?: number): void {
  const { output } = outcome as unknown as { output: { spent: number } }
  if (output.spent < world.calls) throw new Error(`${output.spent} calls counted of ${world.calls}`)
  if (exactly !== undefined && output.spent !== exactly)
    throw new Error(`${output.spent} calls counted where ${exactly} are needed`)
}

/** What holds for every run, however it went. */
async function checkWhole({ store, world, kernel, outcome }: Play, tree: Node): Promise<void> {
  const expected = has(tree, 'cancel') ? 'cancelled' : 'completed'
  if (outcome.state !== expected) throw new Error(`it ended ${canonical(outcome)}`)
  const repeatable = labelsOf(tree, ['look', 'cancel'])
  for (const [label, count] of world.done) {
    if (count > 1 && !repeatable.has(label)) throw new Error(`${label} was done ${count} times`)
  }
  for (const { run, state } of await store.list({ limit: 1e9 })) {
    if (!isEnded(state)) throw new Error(`${run} is still ${state}`)
    const [verified, replayed] = [await kernel.verify(run), await kernel.replay(run)]
    if (!verified.ok) throw new Error(`${run} does not verify: ${verified.problems.join(' ')}`)
    if (!replayed.identical) throw new Error(`${run} does not replay: ${canonical(replayed.difference)}`)
  }
}

/** Whoever runs a process for a range of seeds hears of every seed that fails, with the command that repeats it. */
export interface SeedsReport {
  readonly seeds: number
  readonly faults: number
  readonly failures: readonly string[]
}

export async function simulateAll(seeds: Iterable<number>): Promise<SeedsReport> {
  const failures: string[] = []
  let count = 0
  let faults = 0
  for (const seed of seeds) {
    count += 1
    try {
      faults += await simulate(seed)
    } catch (error) {
      failures.push(
        `seed ${seed}: ${(error as Error).stack ?? String(error)}\n  again: node --conditions=mandate-source test/simulation/simulate.ts ${seed}`,
      )
    }
  }
  return { seeds: count, faults, failures }
}

/** `simulate.ts <from> [<to>] [<step>]` */
if (import.meta.main) {
  const [from = 0, to = from, step = 1] = process.argv.slice(2).map(Number)
  const seeds = Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step)
  const report = `${JSON.stringify(await simulateAll(seeds))}\n`
  // A process that died in a simulation leaves promises behind that nobody settles.
  process.stdout.write(report, () => process.exit())
}
