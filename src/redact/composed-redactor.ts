import type { RedactedStream } from './redaction-stream.ts'
import { type Redactor, noRedaction, streamOf } from './redactor.ts'

/** Applies redactors one after the other. */
export function composeRedactors(...redactors: readonly Redactor[]): Redactor {
  const real = redactors.filter((redactor) => redactor !== noRedaction)
  if (real.length <= 1) return real[0] ?? noRedaction
  return {
    text: (text) => real.reduce((redacted, redactor) => redactor.text(redacted), text),
    member: (name, text) =>
      real.reduce(
        (redacted, one) => (one.member === undefined ? one.text(redacted) : one.member(name, redacted)),
        text,
      ),
    stream: () => chained(real.map(streamOf)),
    scoped: (scope, keeper, found) =>
      composeRedactors(...real.map((redactor) => redactor.scoped?.(scope, keeper, found) ?? redactor)),
  }
}

function chained(streams: readonly RedactedStream[]): RedactedStream {
  return {
    push: (text) => streams.reduce((piece, stream) => stream.push(piece), text),
    end: () => streams.reduce((piece, stream) => stream.push(piece) + stream.end(), ''),
  }
}
