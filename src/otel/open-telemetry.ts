import { metrics, trace } from './api.ts'
import type { Meter, Tracer } from './api.ts'
import { MandateError, checkFields } from '../core/index.ts'
import type { BusEvent, EventSink, FieldNames } from '../core/index.ts'
import type { MandateEvent } from '../journal/index.ts'
import { RunMetrics } from './run-metrics.ts'
import { SpanTree } from './span-tree.ts'

/** Options of `openTelemetry`. */
export interface OpenTelemetryOptions {
  /** The tracer that creates spans; the tracer `mandate` of the registered provider when absent. */
  readonly tracer?: Tracer | undefined
  /** The meter that records metrics; the meter `mandate` of the registered provider when absent. */
  readonly meter?: Meter | undefined
  /** Whether redacted inputs and outputs of models and tools, and messages of errors, are exported as well; `false` when absent. */
  readonly content?: boolean | undefined
}

const OPTIONS: FieldNames<OpenTelemetryOptions> = { tracer: true, meter: true, content: 'flag' }

/**
 * Returns an event sink that exports runs as spans and metrics, with the names of the GenAI semantic conventions. Pass it to a service as one of its `sinks`.
 * It opens no connection: the exporters are those of the OpenTelemetry SDK that the process has set up. The span of a child run is a child of the call that
 * started it; a resumed run gets a new span with the same `mandate.run.id`.
 *
 * @example
 * ```ts
 * import { AgentService } from 'mandate'
 * import { openTelemetry } from 'mandate/otel'
 * const service = new AgentService({ agents: [], sinks: [openTelemetry()] })
 * ```
 */
export function openTelemetry(options: OpenTelemetryOptions = {}): EventSink {
  checkFields(options, 'an option of `openTelemetry`', OPTIONS)
  const { tracer = trace.getTracer('mandate'), meter = metrics.getMeter('mandate'), content = false } = options
  if (typeof tracer.startSpan !== 'function' || typeof meter.createHistogram !== 'function')
    throw new MandateError('CONFIG_INVALID', '`tracer` and `meter` are those of an OpenTelemetry provider.')
  if (typeof content !== 'boolean') throw new MandateError('CONFIG_INVALID', '`content` is true or false.')
  const spans = new SpanTree(tracer, content)
  const measured = new RunMetrics(meter)
  return {
    name: 'open-telemetry',
    includePayloads: content,
    write(event: BusEvent) {
      const known = event as MandateEvent
      spans.see(known)
      measured.see(known)
    },
    traceparent: (runId, key) => spans.traceparent(runId, key),
    inTrace: (traceparent, work) => spans.within(traceparent, work),
    close: () => spans.close(),
  }
}
