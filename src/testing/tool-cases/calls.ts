import { delay, systemClock } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { settleResult } from '../../tool/index.ts'
import type { Tool, ToolContext } from '../../tool/index.ts'

/** Makes a tool context like that of the kernel. */
function contextFor(given: Partial<ToolContext> = {}): ToolContext {
  return {
    runId: 'run_1',
    sessionId: 'session_1',
    agentId: 'agent',
    requestId: 'run_1',
    identity: { id: 'tester' },
    signal: new AbortController().signal,
    idempotencyKey: 'run_1/tool:1',
    attempt: 1,
    deadline: systemClock.now() + 60_000,
    now: () => systemClock.now(),
    random: () => 0.5,
    emit: () => {},
    ...given,
  }
}

/** Calls a tool as the kernel does: validates the input, runs the tool with the validated value, and waits for the result. */
export async function call(tool: Tool, input: Json, given: Partial<ToolContext> = {}): Promise<unknown> {
  const checked = await tool.validate(input)
  if (!checked.valid) throw new Error(`A valid input was refused: ${JSON.stringify(checked.issues)}`)
  return settleResult(tool.run(checked.value, contextFor(given)))
}

/** Whether a call ended in time, or is `pending`. */
export async function endingOf(calling: Promise<unknown>, patienceMs: number): Promise<'ended' | 'pending'> {
  const ended = calling.then(
    () => 'ended' as const,
    () => 'ended' as const,
  )
  return Promise.race([ended, delay(systemClock, patienceMs).then(() => 'pending' as const)])
}

/** Returns a copy that throws on every write. */
export function frozen<T extends Json>(value: T): T {
  return JSON.parse(JSON.stringify(value), (_key, member: unknown) => Object.freeze(member)) as T
}
