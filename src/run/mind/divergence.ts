import { MandateError, canonical } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import type { EffectRecord } from '../../journal/index.ts'
import type { ActiveRun } from '../lifecycle/active-run.ts'
import { clip } from '../lifecycle/failure.ts'

/** The first difference between a re-executed mind and its journal. */
export interface Difference {
  /** The key of the effect. */
  readonly key: string
  /** The request in the journal. */
  readonly recorded: string
  /** The request of the replay. */
  readonly replayed: string
}

/** The mind no longer does what its journal recorded. The journal is left unchanged: restore the old code, or fork the run before this point. */
export class DivergedError extends MandateError {
  readonly difference: Difference

  constructor(run: string, key: string, recorded: string, replayed: string) {
    super(
      'REPLAY_DIVERGED',
      `Run "${run}" diverged at "${key}".\n  recorded: ${recorded}\n  replayed: ${replayed}\nThe journal was not changed. Resume with the code that wrote it, or fork the run before this point.`,
      { info: { key, recorded, replayed } },
    )
    this.difference = { key, recorded, replayed }
  }
}

/** A request of a mind. */
type Asked = { readonly kind: string; readonly name: string; readonly input: Json }

/** Ends the segment of a run whose mind diverged from its journal. */
export function diverge(run: ActiveRun, key: string, recorded: string, replayed: string): void {
  run.fail(new DivergedError(run.id, key, clip(recorded), clip(replayed)))
}

/** The same for a mind that requested something else under a recorded key. */
export function divergeAt(run: ActiveRun, key: string, { start, approvals }: EffectRecord, asked: Asked): void {
  const recorded = describeRequest(start?.data ?? approvals[0]?.data)
  run.fail(new DivergedError(run.id, key, recorded, describeRequest(asked)))
}

/** One line about a request, short enough to print two below each other. */
export function describeRequest(request: Asked | undefined): string {
  if (request === undefined) return 'another request, which was refused before it started'
  return `${request.kind} ${request.name} ${clip(canonical(request.input))}`
}
