import type { Json } from '../core/index.ts'
import { entriesOfType, memoryJournal, readAll } from '../journal/index.ts'
import type { EntryType, IntactEntry, Journal } from '../journal/index.ts'
import { checkTranscript, scripted } from '../model/index.ts'
import type { Model, ModelPart, ModelRequest, ScriptedModel, ScriptedStep } from '../model/index.ts'
import { defineTool } from '../tool/index.ts'
import type { Tool, ToolContext, ToolDefinition } from '../tool/index.ts'
import type { AgentResult } from './output/result-types.ts'
import type { AgentConfig } from './config/config-types.ts'
import type { ServiceOptions } from './service/service-options.ts'
import { AgentService } from './service/service.ts'

/** A scripted model that refuses a request with a call without a result, or a result without a call. Records every request. */
export function model(
  script: readonly ScriptedStep[] | ScriptedStep,
  options: Parameters<typeof scripted>[1] = {},
): ScriptedModel {
  const inner = scripted(script, options)
  return {
    ...inner,
    requests: inner.requests,
    async *stream(request, call): AsyncGenerator<ModelPart> {
      const problems = checkTranscript(request.messages)
      // The refusal is not retryable, so that the run fails and no test can miss it.
      if (problems.length > 0)
        throw new Error(`invalid transcript: ${problems.map(({ message }) => message).join('; ')}`)
      yield* inner.stream(request, call)
    },
  }
}

/** A tool that runs a function. Its risk is `read` unless given. */
export function tool(
  name: string,
  run: (input: never, ctx: ToolContext) => unknown = () => 'done',
  facts: Partial<ToolDefinition> = {},
): Tool {
  return defineTool({ name, risk: 'read', ...facts, run } as ToolDefinition)
}

/** A reply that calls tools. */
export function calls(...names: readonly (string | { readonly name: string; readonly input?: Json })[]): {
  toolCalls: { name: string; input: Json }[]
} {
  return { toolCalls: names.map((one) => (typeof one === 'string' ? { name: one, input: {} } : { input: {}, ...one })) }
}

/** A service with one agent, `main`, and others beside it. */
export function host(
  main: AgentConfig,
  options: ServiceOptions & { others?: readonly AgentConfig[] } = {},
): AgentService {
  const { others = [], ...rest } = options
  return new AgentService({ ...rest, agents: [{ id: 'main', ...main }, ...others] })
}

/** A copy of the journal as left by a process that died after `count` entries of the run. */
export async function cutAfter(journal: Journal, run: string, count: number): Promise<Journal> {
  const cut = memoryJournal()
  const lease = await cut.acquire({ run, owner: 'gone', ttlMs: 0, now: 0 })
  await cut.append(lease, 0, (await readAll(journal, run)).slice(0, count))
  await cut.release(lease)
  return cut
}

/** `type key` of every entry, in order. */
export async function linesOf(journal: Journal, run: string): Promise<string[]> {
  return (await readAll(journal, run)).map(({ type, key }) => (key === undefined ? type : `${type} ${key}`))
}

/** The entries of one type, with their data. */
export async function entriesOf<T extends EntryType>(
  journal: Journal,
  run: string,
  type: T,
): Promise<IntactEntry<T>[]> {
  return entriesOfType(await readAll(journal, run), type)
}

/** The texts of the tool results at the end of a request. */
export function lastResults(request: ModelRequest): readonly { readonly status: string; readonly value: Json }[] {
  const last = request.messages.at(-1)!
  if (last.role !== 'tool') throw new Error(`the request ends with a message of the ${last.role}, not with results`)
  return last.content.flatMap((part) =>
    part.type === 'tool-result' ? [{ status: part.status, value: part.value }] : [],
  )
}

/** A promise that is resolved from outside. */
export function gate(): {
  readonly promise: Promise<void>
  open(): void
  readonly reached: Promise<void>
  reach(): void
} {
  const waiting = Promise.withResolvers<void>()
  const reached = Promise.withResolvers<void>()
  return {
    promise: waiting.promise,
    open: () => waiting.resolve(),
    reached: reached.promise,
    reach: () => reached.resolve(),
  }
}

/** A model that streams nothing and never ends, until it is aborted. */
export function hanging(id = 'test/hanging'): Model & { readonly reached: Promise<void> } {
  const reached = Promise.withResolvers<void>()
  return {
    id,
    provider: 'test',
    modelId: 'hanging',
    reached: reached.promise,
    async *stream(_request, { signal }): AsyncGenerator<ModelPart> {
      reached.resolve()
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('cut')), { once: true }))
      yield { type: 'finish', reason: 'stop' }
    },
  }
}

/** A journal with some methods replaced. */
export function replacing(journal: Journal, methods: Partial<Journal>): Journal {
  return new Proxy(journal, {
    get(target, name) {
      const value: unknown = methods[name as keyof Journal] ?? target[name as keyof Journal]
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}

/** A result with its report, for comparison. */
export function reported(result: AgentResult): object {
  return { ...result, ...result.report() }
}
