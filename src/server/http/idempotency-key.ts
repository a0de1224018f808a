import { MandateError } from '../../core/index.ts'
import { Refusal } from './error-answers.ts'

const KEY = /^[\x21-\x7e]{1,255}$/

/** Returns the `Idempotency-Key` of a request, if it has one. */
export function idempotencyKey({ headers }: Request): string | undefined {
  const key = headers.get('idempotency-key') ?? undefined
  if (key !== undefined && !KEY.test(key))
    throw new MandateError('INPUT_INVALID', 'An Idempotency-Key has 1 to 255 visible ASCII characters without spaces.')
  return key
}

/** Returns the refusal of a different request under a key that was already used. The status is that of the draft standard of the header. */
export function keyOfAnother(): Refusal {
  return new Refusal(
    422,
    'DUPLICATE',
    'This Idempotency-Key was used for another request. Use a new key for a new run, or send the first request again.',
  )
}

/** Refuses an `Idempotency-Key` on routes that do not store it, because its sender relies on it. */
export function refuseKey({ headers }: Request): void {
  if (headers.has('idempotency-key'))
    throw new MandateError(
      'INPUT_INVALID',
      'This path keeps no Idempotency-Key: a request that is sent again starts another run. Leave the header out, or use /api/runs or /api/conversations.',
    )
}
