import { ROOT_CONTEXT, SpanKind, SpanStatusCode, context, isSpanContextValid, trace } from './api.ts'
import type { Attributes, Context, Link, Span, SpanContext, SpanStatus, Tracer } from './api.ts'
import type { MandateEvent } from '../journal/index.ts'
import { GEN_AI, MANDATE } from './attribute-names.ts'
import { endAttributes, nameOfEffect, startAttributes } from './effect-attributes.ts'
import { defined } from './defined.ts'

/** Suspended runs whose spans are remembered; the oldest are forgotten. */
const WAITING_MAX = 10_000

interface OpenRun {
  readonly span: Span
  readonly context: Context
  readonly effects: Map<string, Span>
}

/** Makes spans of events: one for each run, and below it one for each effect. It holds what is open, and nothing of what has ended. */
export class SpanTree {
  readonly #tracer: Tracer
  readonly #content: boolean
  readonly #runs = new Map<string, OpenRun>()
  readonly #waiting = new Map<string, SpanContext>()

  constructor(tracer: Tracer, content: boolean) {
    this.#tracer = tracer
    this.#content = content
  }

  see(event: MandateEvent): void {
    switch (event.type) {
      case 'run-start':
      case 'run-resume':
        return this.#open(event)
      case 'run-suspend':
        this.#remember(event)
        return this.#end(event, { [MANDATE.runState]: 'suspended' })
      case 'run-end':
        return this.#endRun(event)
      case 'effect-start':
        return this.#startEffect(event)
      case 'effect-end':
        return this.#endEffect(event)
      case 'effect-retry': {
        const { attempt, reason } = event.data
        this.#effect(event)?.addEvent('retry', { attempt, ...(this.#content ? { reason } : {}) }, event.at)
        return undefined
      }
      case 'approval-request':
        this.#runs.get(event.runId)?.span.addEvent('approval-request', { rule: event.data.rule }, event.at)
        return undefined
      default:
        return undefined
    }
  }

  /** The W3C `traceparent` of an effect; of its run, where the effect has no span yet. */
  traceparent(runId: string, key: string): string | undefined {
    const run = this.#runs.get(runId)
    const { traceId, spanId, traceFlags } = (run?.effects.get(key) ?? run?.span)?.spanContext() ?? {}
    if (traceId === undefined || spanId === undefined || !isSpanContextValid({ traceId, spanId, traceFlags: 0 }))
      return undefined
    return `00-${traceId}-${spanId}-${(traceFlags ?? 0).toString(16).padStart(2, '0')}`
  }

  /** Does work below a span of another process; below the active span of this one, where there is one. */
  within<T>(traceparent: string, work: () => T): T {
    if (trace.getSpan(context.active()) !== undefined) return work()
    const [, traceId = '', spanId = '', flags = '00'] = traceparent.split('-')
    const remote = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true }
    return context.with(trace.setSpanContext(ROOT_CONTEXT, remote), work)
  }

  /** Ends what is open: the process stops, and the runs may go on elsewhere. */
  close(): void {
    for (const run of this.#runs.values()) endAll(run)
    this.#runs.clear()
  }

  #open(event: MandateEvent<'run-start'> | MandateEvent<'run-resume'>): void {
    const { runId, sessionId, agentId, at } = event
    // Its process may have lost it without a word.
    this.#end(event, {})
    const start = event.type === 'run-start' ? event.data : undefined
    const isWorkflow = start !== undefined && start.mind !== 'agent'
    const operation = isWorkflow ? 'invoke_workflow' : 'invoke_agent'
    const span = this.#tracer.startSpan(
      `${operation} ${agentId}`,
      {
        kind: SpanKind.INTERNAL,
        startTime: at,
        links: this.#before(runId),
        attributes: defined({
          [GEN_AI.operation]: operation,
          [GEN_AI.conversation]: sessionId,
          ...(isWorkflow
            ? { [GEN_AI.workflowName]: agentId }
            : { [GEN_AI.agentId]: agentId, [GEN_AI.agentName]: agentId }),
          [MANDATE.run]: runId,
          [MANDATE.parentRun]: start?.parent?.run,
          [MANDATE.identity]: start?.identity.id,
        }),
      },
      this.#parentOf(start?.parent),
    )
    this.#runs.set(runId, { span, context: trace.setSpan(ROOT_CONTEXT, span), effects: new Map() })
  }

  /** A child is below the call that started it; a run of a host is below what the host was doing, such as answering a request. */
  #parentOf(parent: { readonly run: string; readonly key: string } | undefined): Context {
    const span = parent === undefined ? undefined : this.#runs.get(parent.run)?.effects.get(parent.key)
    return span === undefined ? context.active() : trace.setSpan(ROOT_CONTEXT, span)
  }

  #remember({ runId }: MandateEvent): void {
    const span = this.#runs.get(runId)?.span
    if (span === undefined) return
    this.#waiting.set(runId, span.spanContext())
    if (this.#waiting.size > WAITING_MAX) this.#waiting.delete(this.#waiting.keys().next().value!)
  }

  /** The span that ended when the run was suspended here: the one that goes on is linked to it, which is in another trace. */
  #before(runId: string): Link[] {
    const before = this.#waiting.get(runId)
    this.#waiting.delete(runId)
    return before === undefined ? [] : [{ context: before }]
  }

  #end({ runId, at }: MandateEvent, attributes: Attributes): void {
    const run = this.#runs.get(runId)
    if (run === undefined) return
    this.#runs.delete(runId)
    run.span.setAttributes(attributes)
    endAll(run, at)
  }

  #endRun(event: MandateEvent<'run-end'>): void {
    const { state, error, spent } = event.data
    const span = this.#runs.get(event.runId)?.span
    if (error !== undefined) span?.setStatus(this.#failure(error))
    this.#end(
      event,
      defined({
        [MANDATE.runState]: state,
        [GEN_AI.errorType]: error?.code,
        [GEN_AI.inputTokens]: spent.inputTokens,
        [GEN_AI.outputTokens]: spent.outputTokens,
        [MANDATE.money]: spent.money,
      }),
    )
  }

  #startEffect({ runId, key = '', at, data }: MandateEvent<'effect-start'>): void {
    const run = this.#runs.get(runId)
    if (run === undefined) return
    const kind = data.kind === 'model' || data.kind === 'embed' ? SpanKind.CLIENT : SpanKind.INTERNAL
    const attributes = startAttributes(data, key, this.#content)
    run.effects.set(key, this.#tracer.startSpan(nameOfEffect(data), { kind, startTime: at, attributes }, run.context))
  }

  #endEffect(event: MandateEvent<'effect-end'>): void {
    const { data, at } = event
    const run = this.#runs.get(event.runId)
    const span = run?.effects.get(event.key ?? '')
    if (span === undefined) {
      // Refused before it began: there is nothing that took time.
      const { outcome } = data
      if (outcome.status === 'denied')
        run?.span.addEvent('denied', { [MANDATE.rule]: outcome.rule, [GEN_AI.errorType]: outcome.code }, at)
      return
    }
    run!.effects.delete(event.key ?? '')
    span.setAttributes(endAttributes(data, this.#content))
    if (data.outcome.status === 'failed') span.setStatus(this.#failure(data.outcome.error))
    span.end(at)
  }

  /** What a tool or a provider says of its failure may repeat what it was given. */
  #failure({ message }: { readonly message: string }): SpanStatus {
    return { code: SpanStatusCode.ERROR, ...(this.#content ? { message } : {}) }
  }

  #effect({ runId, key = '' }: MandateEvent): Span | undefined {
    return this.#runs.get(runId)?.effects.get(key)
  }
}

function endAll({ span, effects }: OpenRun, at?: number): void {
  for (const effect of effects.values()) effect.end(at)
  span.end(at)
}
