import type { ApprovalRequest, ApprovalResponse } from '../../src/run/index.ts'
import { Kernel } from '../../src/run/index.ts'
import type { Entry, Journal } from '../../src/journal/index.ts'
import { sqliteJournal } from '../../src/store/sqlite/index.ts'
import { ask, makeTools, minds } from './minds.ts'

/** When this process kills itself. `at` counts the entries that are stored in this file, or the calls of tools, from 1. */
export interface KillPlan {
  readonly when: 'before-append' | 'before-answer' | 'after-append' | 'before-call' | 'after-call' | 'again-and-again'
  readonly at: number
}

export interface RunnerTask {
  readonly path: string
  readonly runId: string
  readonly serverUrl: string
  readonly kill?: KillPlan | undefined
}

export interface RunnerReport {
  readonly output: unknown
  readonly state: string
  readonly entries: number
  /** Runs that do not verify or replay; there should be none. */
  readonly wrong: readonly unknown[]
}

const task = JSON.parse(process.argv[2]!) as RunnerTask

function die(): void {
  process.kill(process.pid, 'SIGKILL')
}

/** Dies at the entry it is told to, in the way it is told to. */
function deadly(journal: Journal, { when, at }: KillPlan, stored: number): Journal {
  let count = stored
  let appends = 0
  const append = async (...args: Parameters<Journal['append']>): Promise<void> => {
    const entries: readonly Entry[] = args[2]
    count += entries.length
    appends += 1
    // The sixth of every process: far enough to ask a human, hear the answer, act on it and say so.
    const isTime = when === 'again-and-again' ? appends === 6 : count >= at
    if (isTime && when === 'before-append') die()
    await journal.append(...args)
    if (isTime && (when === 'before-answer' || when === 'again-and-again')) die()
    // Everything that was waiting for this append goes on first.
    if (isTime && when === 'after-append') setImmediate(die)
  }
  return new Proxy(journal, {
    get(target, name) {
      const member = name === 'append' ? append : (target as unknown as Record<PropertyKey, unknown>)[name]
      return typeof member === 'function' ? (member as (...args: unknown[]) => unknown).bind(target) : member
    },
  })
}

/** The human of the test: approves, knows the colour, and asks the world about what is in doubt. */
async function answer({ reason, run, key }: ApprovalRequest): Promise<ApprovalResponse> {
  if (reason === 'approval') return { answer: 'approve' }
  if (reason === 'question') return { answer: 'answer', value: 'green' }
  const { body } = await ask(`${task.serverUrl}/asked?${new URLSearchParams({ key: `${run}/${key}` })}`)
  const { count, value } = body as { count: number; value: string | null }
  return count > 0 ? { answer: 'happened', value } : { answer: 'not-happened' }
}

async function main(): Promise<void> {
  const store = sqliteJournal({ path: task.path, watchIntervalMs: 5 })
  const stored = (await store.list()).reduce((sum, { head }) => sum + head.seq, 0)
  const { kill } = task
  let calls = 0
  const dieAt = (when: KillPlan['when']): void => {
    if (kill?.when === when && calls === kill.at) die()
  }
  const tools = makeTools(task.serverUrl, {
    before: () => ((calls += 1), dieAt('before-call')),
    after: () => dieAt('after-call'),
  })
  const kernel = new Kernel({
    journal: kill === undefined ? store : deadly(store, kill, stored),
    limits: { liveSleepMs: 0 },
  })
  for (const mind of minds) kernel.registry.registerMind(mind)
  for (const tool of tools) kernel.registry.registerTool(tool)
  const go = (): ReturnType<Kernel['run']> =>
    kernel.run({
      kind: 'program',
      name: 'main',
      input: 'go',
      runId: task.runId,
      seed: 'crash',
      budget: { toolCalls: 100, steps: 10 },
    })
  let outcome = await go()
  while (outcome.state === 'suspended') {
    for (const request of await kernel.approvals(task.runId))
      await kernel.respond(request.id, await answer(request)).catch(() => {})
    await new Promise((done) => setTimeout(done, 3))
    outcome = await go()
  }
  const wrong: unknown[] = []
  for (const { run } of await kernel.list()) {
    const [verified, replayed] = [await kernel.verify(run), await kernel.replay(run)]
    if (!verified.ok || !replayed.identical || !replayed.complete) wrong.push({ run, verified, replayed })
  }
  const entries = (await kernel.list()).reduce((sum, { head }) => sum + head.seq, 0)
  await kernel.stop()
  await store.close()
  const report: RunnerReport = { output: outcome.output, state: outcome.state, entries, wrong }
  process.stdout.write(JSON.stringify(report))
}

await main()
