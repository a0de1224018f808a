// The only file that imports `@opentelemetry/api`.
export { ROOT_CONTEXT, SpanKind, SpanStatusCode, context, isSpanContextValid, metrics, trace } from '@opentelemetry/api'
export type {
  Attributes,
  Context,
  Link,
  Counter,
  Histogram,
  Meter,
  Span,
  SpanContext,
  SpanStatus,
  Tracer,
} from '@opentelemetry/api'
