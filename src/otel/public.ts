// What `mandate/otel` offers: runs as OpenTelemetry spans and metrics.
export { openTelemetry } from './index.ts'
export type { OpenTelemetryOptions } from './index.ts'
