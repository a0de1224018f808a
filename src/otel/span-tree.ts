import { ROOT_CONTEXT, SpanKind, SpanStatusCode, context, isSpanContextValid, trace } from './api.ts'
import type { Attributes, Context, Link, Span, SpanContext, SpanStatus, Tracer } from './api.ts'
import type { MandateEvent } from '../journal/index.ts'
import { GEN_AI, MANDATE } from './attribute-names.ts'
import { endAttributes, nameOfEffect, startAttributes } from './effect-attributes.ts'
import { defined } from './defined.ts'

/** The maximum number of suspended runs whose span contexts are kept for links; the oldest are evicted. */
const WAITING_MAX = 10_000

interface OpenRun {
  readonly span: Span
  readonly context: Context
  readonly effects: Map<string, Span>
}

/** Creates spans from events: one per run, with one child span per effect. Keeps only open spans, and the span contexts of suspended runs. */
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

  /** Returns the W3C `traceparent` of an effect, or of its run when the effect has no open span. */
  traceparent(runId: string, key: string): string | undefined {
    const run = this.#runs.get(runId)
    const { traceId, spanId, traceFlags } = (run?.effects.get(key) ?? run?.span)?.spanContext() ?? {}
    if (traceId === undefined || spanId === undefined || !isSpanContextValid({ traceId, spanId, traceFlags: 0 }))
      return undefined
    return `00-${traceId}-${spanId}-${(traceFlags ?? 0).toString(16).padStart(2, '0')}`
  }

  /** Runs `work` under the remote span of `traceparent`, or under the active span of this process if there is one. */
  within<T>(traceparent: string, work: () => T): T {
    if (trace.getSpan(context.active()) !== undefined) return work()
    const [, traceId = '', spanId = '', flags = '00'] = traceparent.split('-')
    const remote = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true }
    return context.with(trace.setSpanContext(ROOT_CONTEXT, remote), work)
  }

  /** Ends all open spans. Called when the process stops; the runs may continue in another process. */
  close(): void {
    for (const run of this.#runs.values()) endAll(run)
    this.#runs.clear()
  }

  #open(event: MandateEvent<'run-start'> | MandateEvent<'run-resume'>): void {
    const { runId, sessionId, agentId, at } = event
    // Ends a span that is still open because the run was interrupted without a suspend or end event.
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

  /**
   * Returns the parent context: for a child run the span of the call that started it, for any other run the active span of the host, such as that of a
   * request.
   */
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

  /** Returns a link to the span that ended when the run was suspended in this process, because the span of the resumed run is in another trace. */
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
        [MANDATE.estimated]: spent.estimated,
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
      // An effect that was refused before it started has no span; a denial becomes an event of the run's span.
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

  /** Returns an error status. The message is included only with `content`, because an error of a tool or provider may repeat its input. */
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
