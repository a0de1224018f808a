import type { Json } from '../../src/core/index.ts'
import type { ToolContext } from '../../src/tool/index.ts'

export interface Emitted {
  readonly name: string
  readonly data: Json
}

/** A context as the kernel gives it to a tool; what the tool emits is kept in `emitted`. */
export function toolContext(given: Partial<ToolContext> = {}): ToolContext & { readonly emitted: Emitted[] } {
  const emitted: Emitted[] = []
  return {
    runId: 'run_1',
    sessionId: 'session_1',
    agentId: 'agent',
    requestId: 'run_1',
    identity: { id: 'tester' },
    signal: new AbortController().signal,
    idempotencyKey: 'run_1/tool:1',
    attempt: 1,
    deadline: 30_000,
    now: () => 0,
    random: () => 0.5,
    emit: (name, data) => void emitted.push({ name, data }),
    emitted,
    ...given,
  }
}
