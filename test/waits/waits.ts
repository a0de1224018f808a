import { createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import type { AgentConfig, AgentResult, ServiceOptions } from '../../src/agent/index.ts'
import { calls, model, tool } from '../../src/agent/agent.fixture.ts'
import { httpFetch } from '../../src/connect/index.ts'
import { MandateError } from '../../src/core/index.ts'
import type { RunLimits } from '../../src/core/index.ts'
import { inMemory, inMemoryDatabase } from '../../src/memory/index.ts'
import { memoryJournal } from '../../src/journal/index.ts'
import { Registry } from '../../src/run/index.ts'
import { journalWith } from '../../src/run/kernel/kernel.fixture.ts'

/** What a stalled host is made of, and how the test learns that the run waits there. */
export interface Stall {
  readonly agent: AgentConfig
  readonly options?: ServiceOptions
  /** Attempts of one effect; 1 when absent. */
  readonly attempts?: number
  /** Resolves when the run waits. */
  readonly reached: Promise<unknown>
  readonly close?: () => unknown
}

/** One wait for something that is not the kernel's own. */
export interface Wait {
  readonly name: string
  /** The limit that ends it when nothing else does, as users set it. */
  readonly limit: keyof RunLimits | `${string} of the tool`
  /** How the run ends by the limit: `completed` or `failed` when absent. */
  readonly becomes?: AgentResult['status']
  /** What the journal says of it then: that its own limit ended it, not one above it. */
  readonly says?: string
  /** False where what it needs is not on this machine. */
  readonly isPossible?: boolean
  stall(limitMs: number): Stall | Promise<Stall>
}

export const STUCK: Promise<never> = new Promise(() => {})

/** A function that never answers, and the moment in which it was called. */
export function stuck(): { readonly call: () => Promise<never>; readonly reached: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { call: () => (resolve(), STUCK), reached: promise }
}

export const act = (): ReturnType<typeof model> => model([calls('act'), 'Done.'])

/** A listener on this machine; what it does with its connections is the stall. */
export async function listener(
  onSocket: (socket: Socket) => void,
): Promise<{ url: string; host: string; close: () => void }> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}))
    onSocket(socket)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const close = (): void => {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
  return { url: `http://${host}/`, host, close }
}

export function fetching(url: string, options: Parameters<typeof httpFetch>[0]): AgentConfig {
  const fetch = { ...httpFetch({ ...options, retry: { attempts: 1, backoffMs: 1 } }), safeByDefault: true }
  return { model: model([calls({ name: 'http_fetch', input: { url } }), 'Done.']), tools: [fetch] }
}

/** A server that says `answer` and then nothing more. */
function silentServer(answer: string): Wait['stall'] {
  return async (limitMs) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const { url, host, close } = await listener((socket) =>
      socket.once('data', () => {
        if (answer !== '') socket.write(answer)
        resolve()
      }),
    )
    return { agent: fetching(url, { allow: [host], timeoutMs: limitMs }), reached: promise, close }
  }
}

/** Tells when the pause before an attempt has begun. */
function pausing(): Pick<Stall, 'options' | 'reached'> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const write = ({ type }: { readonly type: string }): void => {
    if (type === 'stream-reset') resolve()
  }
  return { options: { sinks: [{ name: 'watch', write }] }, reached: promise }
}

function judging(judge: ReturnType<typeof model>): Registry {
  const registry = new Registry()
  registry.registerModel('judge', judge)
  return registry
}

function filtered(on: 'prompt' | 'tool-input' | 'tool-output'): Wait['stall'] {
  return () => {
    const { call, reached } = stuck()
    return {
      agent: { model: act(), tools: [tool('act')] },
      options: {
        filters: [{ name: 'slow', check: call }],
        mandate: { content: [{ id: 'slow', on: [on], filter: 'slow' }] },
      },
      reached,
    }
  }
}

/** Every wait of a run for code that is not the kernel's, and for HTTP. Those for databases and processes are in `connector-waits.ts`. */
export const WAITS: readonly Wait[] = [
  {
    name: 'a model call',
    limit: 'modelTimeoutMs',
    stall() {
      const { call, reached } = stuck()
      return { agent: { model: model(call) }, reached }
    },
  },
  {
    name: 'a tool call',
    limit: 'toolTimeoutMs',
    stall() {
      const { call, reached } = stuck()
      return { agent: { model: act(), tools: [tool('act', call)] }, reached }
    },
  },
  {
    name: 'a source of secrets',
    limit: 'toolTimeoutMs',
    stall() {
      const { call, reached } = stuck()
      const asking = tool('act', (_input, context) => context.secrets!('KEY'))
      return { agent: { model: act(), tools: [asking] }, options: { secrets: call }, reached }
    },
  },
  { name: 'a content filter of prompts', limit: 'checkTimeoutMs', stall: filtered('prompt') },
  { name: 'a content filter of tool inputs', limit: 'checkTimeoutMs', stall: filtered('tool-input') },
  { name: 'a content filter of tool outputs', limit: 'checkTimeoutMs', stall: filtered('tool-output') },
  {
    name: 'an asynchronous schema',
    limit: 'checkTimeoutMs',
    stall() {
      const { call, reached } = stuck()
      return { agent: { model: act(), tools: [{ ...tool('act'), validate: call }] }, reached }
    },
  },
  {
    name: 'a planner',
    limit: 'modelTimeoutMs',
    stall() {
      const { call, reached } = stuck()
      return { agent: { planner: { plan: call }, tools: [tool('act')] }, reached }
    },
  },
  {
    name: 'a reflector',
    limit: 'modelTimeoutMs',
    stall() {
      const { call, reached } = stuck()
      return { agent: { model: model(['Done.']), reflector: { reflect: call } }, reached }
    },
  },
  {
    name: 'a hook',
    limit: 'modelTimeoutMs',
    stall() {
      const { call, reached } = stuck()
      return { agent: { model: model(['Done.']), hooks: [call] }, reached }
    },
  },
  {
    name: 'a memory client',
    limit: 'toolTimeoutMs',
    stall() {
      const { call, reached } = stuck()
      const memoryClient = { ...inMemory(), append: call, read: call }
      return { agent: { model: model(['Done.']), memoryClient }, reached }
    },
  },
  {
    name: 'a database client',
    limit: 'toolTimeoutMs',
    stall() {
      const { call, reached } = stuck()
      const databaseClient = { ...inMemoryDatabase(), query: call }
      return {
        agent: { model: model(['Done.']), databaseClient, memoryClient: inMemory(), hydrate: { collection: 'notes' } },
        reached,
      }
    },
  },
  {
    name: 'the model of an overseer',
    limit: 'modelTimeoutMs',
    becomes: 'await_user',
    stall() {
      const { call, reached } = stuck()
      return {
        // It is asked before the second call.
        agent: { model: model([calls('act'), calls('act'), 'Done.']), tools: [tool('act')] },
        options: {
          mandate: { overseer: { drift: { model: 'judge', every: 1 } } },
          registry: judging(model(call)),
        },
        reached,
      }
    },
  },
  {
    name: 'the pause before the next attempt of a tool',
    limit: 'backoffMs of the tool',
    stall(backoffMs) {
      const failing = tool('act', () => Promise.reject(new Error('not now')), { retry: { attempts: 2, backoffMs } })
      return { agent: { model: act(), tools: [failing] }, ...pausing() }
    },
  },
  {
    name: 'the pause before the next attempt of a model',
    limit: 'backoffMs of the tool',
    stall(retryAfterMs) {
      const busy = (): never => {
        throw new MandateError('MODEL_FAILED', 'busy', { info: { retriable: true, retryAfterMs } })
      }
      return { agent: { model: model(busy) }, attempts: 2, ...pausing() }
    },
  },
  {
    name: 'the resolution of a name',
    limit: 'timeoutMs of the tool',
    stall(timeoutMs) {
      const { call, reached } = stuck()
      return { agent: fetching('http://slow.example/', { allow: ['slow.example'], timeoutMs, resolve: call }), reached }
    },
  },
  { name: 'the headers of an HTTP answer', limit: 'timeoutMs of the tool', stall: silentServer('') },
  {
    name: 'the body of an HTTP answer',
    limit: 'timeoutMs of the tool',
    stall: silentServer('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf'),
  },
]

/** A part of a host that does not answer while it is stopped. */
export interface StopWait {
  readonly name: string
  /** What the report of `stop` names: the run, or a part of the service. */
  readonly left: string
  stall(): { readonly agent: AgentConfig; readonly options: ServiceOptions; readonly reached?: Promise<unknown> }
}

/** What `stop()` waits for, no longer than `limits.stopTimeoutMs`. */
export const STOP_WAITS: readonly StopWait[] = [
  {
    name: 'a store that does not take entries',
    left: 'run',
    stall() {
      const { call, reached } = stuck()
      return {
        agent: { model: model(['Done.']) },
        options: { journal: journalWith(memoryJournal(), { append: call }) },
        reached,
      }
    },
  },
  {
    name: 'a store that gives no lease',
    left: 'run',
    stall() {
      const { call, reached } = stuck()
      return {
        agent: { model: model(['Done.']) },
        options: { journal: journalWith(memoryJournal(), { acquire: call }) },
        reached,
      }
    },
  },
  {
    name: 'an event sink',
    left: 'event sinks',
    stall: () => ({
      agent: { model: model(['Done.']) },
      options: { sinks: [{ name: 'slow', write: () => {}, close: stuck().call }] },
    }),
  },
  {
    name: 'the close of a model',
    left: 'models',
    stall: () => ({ agent: { model: { ...model(['Done.']), close: stuck().call } }, options: {} }),
  },
  {
    name: 'the close of a store',
    left: 'store',
    stall: () => ({
      agent: { model: model(['Done.']) },
      options: { store: { journal: memoryJournal(), close: stuck().call } },
    }),
  },
]
