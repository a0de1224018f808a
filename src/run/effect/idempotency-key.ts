import type { Request } from './perform.ts'

/** The key by which the outside world knows an effect: the same for every attempt, and in a fork the one that the other run made it with. */
export function idempotencyKeyOf({ run, key }: Pick<Request, 'run' | 'key'>): string {
  return run.fold.effects.get(key)?.start?.data.idempotencyKey ?? `${run.id}/${key}`
}
