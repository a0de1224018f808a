import { MandateError, errorInfo, isRecord } from '../../core/index.ts'
import type { ErrorCode, ErrorInfo } from '../../core/index.ts'
import type { RetryBlueprint } from '../blueprint/blueprint.ts'
import type { RunContext } from '../../run/index.ts'
import type { CompiledNode } from './compiled-graph.ts'
import { askPerson, valueOf } from './graph-context.ts'
import type { Machine } from './machine.ts'
import { workOf } from './nodes/node-kinds.ts'
import type { NodeFunction } from './nodes/code-node.ts'
import type { NodeTask } from './nodes/node-task.ts'
import type { Activation, NodeFailure, NodeResult } from './node-result.ts'
import { checkTargets } from './routes.ts'
import { checkUpdate } from './value-check.ts'

/** The state shared by all activations of a run. */
export interface Running extends Pick<NodeTask, 'graph' | 'lanes' | 'functions' | 'names' | 'registry'> {
  readonly machine: Machine
  readonly context: RunContext
  function(node: string): NodeFunction | undefined
}

/** Failures that a retry would not change. */
const FINAL: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'APPROVAL_REFUSED',
  'CANCELLED',
  'CONFIG_INVALID',
  'CONTENT_BLOCKED',
  'DENIED',
  'EXPIRED',
  'INPUT_INVALID',
  'INTENT_MISSING',
  'KILLED',
  'LIMIT_EXCEEDED',
  'NOT_FOUND',
  'OUTCOME_UNKNOWN',
  'SCHEMA_INVALID',
])

/** Runs one node of the active set: pauses, attempts, waits. The result of each attempt is journaled, so that it is not repeated. */
export async function activate(running: Running, activation: Activation): Promise<NodeResult | NodeFailure> {
  const { context, machine } = running
  const { view } = machine
  const node = machine.node(activation.node)
  return context.task(activation.key, async (strand) => {
    const task: NodeTask = { ...running, node, activation, state: view, context: strand }
    try {
      if (node.pause === 'before') await pause(task, 'before')
      const result = await attempts(running, task)
      if (node.spec.checkpoint === 'sync') await strand.stored()
      if (node.pause === 'after') await pause(task, 'after')
      return result
    } catch (error) {
      return { failed: errorInfo(error, 'MIND_FAILED') }
    }
  })
}

async function pause({ context, node, activation }: NodeTask, when: 'before' | 'after'): Promise<void> {
  const text = `The run pauses ${when} node "${node.name}" in step ${activation.step}. Any answer lets it go on.`
  await askPerson({ context, name: node.name, payload: { text, pause: when }, key: 'pause' })
}

async function attempts(running: Running, task: NodeTask): Promise<NodeResult> {
  const { node, context, lanes } = task
  const { timeoutMs, retry } = node
  const late =
    timeoutMs === undefined
      ? undefined
      : `Node "${node.name}" did not end within ${timeoutMs} ms. Look at what it waits for, or raise its \`timeoutMs\`.`
  const options = { timeoutMs: timeoutMs ?? Number.POSITIVE_INFINITY, late }
  for (let attempt = 1; ; attempt++) {
    // A recorded result takes no slot: a fork may have to retry one node again before the others of its step get their results.
    const isNew = !context.isRecorded('run')
    if (isNew) await lanes.acquire()
    try {
      return await context
        .record('run', (inner) => work(running, { ...task, context: inner }), options)
        .finally(() => (isNew ? lanes.release() : undefined))
    } catch (error) {
      const info = errorInfo(error, 'MIND_FAILED')
      if (isLastAttempt(node, attempt, info)) throw error
      await waitBefore(task, retry!, attempt, info)
    }
  }
}

/** Whether a failed node is not retried. */
export function isLastAttempt({ retry }: CompiledNode, attempt: number, { code }: ErrorInfo): boolean {
  return retry === undefined || attempt >= retry.attempts || FINAL.has(code)
}

async function waitBefore(task: NodeTask, retry: RetryBlueprint, attempt: number, info: ErrorInfo): Promise<void> {
  const { context, activation } = task
  const { delayMs = 0, factor = 1, maxDelayMs = Number.POSITIVE_INFINITY } = retry
  const { node, step } = activation
  context.emit('graph', { mode: 'debug', type: 'retry', node, step, attempt, message: info.message })
  const waitMs = Math.min(maxDelayMs, delayMs * factor ** (attempt - 1))
  if (waitMs <= 0) return
  const input = { until: context.now() + waitMs }
  valueOf(await context.perform({ kind: 'sleep', name: 'retry', input, origin: 'graph' }))
}

/** Makes one attempt. Its result is validated first: an invalid update fails the node, not the whole step. */
async function work(running: Running, task: NodeTask): Promise<NodeResult> {
  const { node, graph, activation } = task
  const { machine } = running
  const who = `Node "${node.name}"`
  const result = await workOf(node, running.function(node.name))(task)
  if (result.goto !== undefined) checkTargets(graph, node, { targets: result.goto, who })
  const update = result.update ?? {}
  checkUpdate(graph, machine.written(activation, result), who)
  const volatile = Object.entries(update).filter(([name]) => graph.channels.get(name)?.isUntracked === true)
  if (volatile.length === 0) return result
  machine.remember(activation, Object.fromEntries(volatile))
  const rest = Object.entries(update).filter(([name]) => graph.channels.get(name)?.isUntracked !== true)
  return { ...result, update: Object.fromEntries(rest) }
}

/** The error of a run that a node has ended. */
export function nodeError({ node, step }: Activation, { failed }: NodeFailure): MandateError {
  const message = `Node "${node}" failed in step ${step}: ${failed.message}`
  return new MandateError(failed.code, message, { info: { node, step, ...(isRecord(failed.info) ? failed.info : {}) } })
}
