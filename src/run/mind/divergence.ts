import { MandateError, canonical } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import type { EffectRecord } from '../../journal/index.ts'
import type { ActiveRun } from '../lifecycle/active-run.ts'
import { clip } from '../lifecycle/failure.ts'

/** The first place where a re-executed mind did something else than its journal says. */
export interface Difference {
  readonly key: string
  readonly recorded: string
  readonly replayed: string
}

/** The mind no longer does what it did. The journal is left as it is: put the old code back, or fork the run before this point. */
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

/** Something that a mind asked for. */
type Asked = { readonly kind: string; readonly name: string; readonly input: Json }

/** Ends the segment of a run whose mind diverged from its journal. */
export function diverge(run: ActiveRun, key: string, recorded: string, replayed: string): void {
  run.fail(new DivergedError(run.id, key, clip(recorded), clip(replayed)))
}

/** The same for one that asked for something else. */
export function divergeAt(run: ActiveRun, key: string, { start, approvals }: EffectRecord, asked: Asked): void {
  const recorded = describeRequest(start?.data ?? approvals[0]?.data)
  run.fail(new DivergedError(run.id, key, recorded, describeRequest(asked)))
}

/** One line about a request, short enough to put two of them under each other. */
export function describeRequest(request: Asked | undefined): string {
  if (request === undefined) return 'another request, which was refused before it started'
  return `${request.kind} ${request.name} ${clip(canonical(request.input))}`
}
