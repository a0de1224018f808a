import { MandateError } from '../../core/index.ts'
import { type Difference, describeDifference, differences } from './difference.ts'
import type { Question, Recording } from './recorder.ts'

const DIFFERENCES_SHOWN = 6

/** Where a call was not found, and what to do about it. */
interface MissPlace {
  readonly cassette: string
  readonly fix: string
}

/** Whether an error means that a cassette has no recording of a call. */
export function isMiss(error: unknown): boolean {
  return MandateError.isInstance(error) && (error.info as { cassette?: unknown } | undefined)?.cassette !== undefined
}

/** The error of a call that was not recorded, with its difference from the nearest recorded one. */
export function missError(
  asked: Question,
  occurrence: number,
  recordings: readonly Recording[],
  place: MissPlace,
): MandateError {
  const text = [describeMiss(asked, occurrence, recordings, place), place.fix].join('\n')
  return new MandateError('NOT_FOUND', text, {
    info: { cassette: place.cassette, name: asked.name, key: asked.key, retriable: false },
  })
}

function describeMiss(
  asked: Question,
  occurrence: number,
  recordings: readonly Recording[],
  { cassette }: MissPlace,
): string {
  const what = `${asked.kind} "${asked.name}"`
  const where = `cassette "${cassette}"`
  if (recordings.length === 0) return `The ${where} is empty or missing, and ${what} was called.`
  const same = recordings.filter((one) => one.key === asked.key)
  if (same.length > 0)
    return `The ${where} holds this call of ${what} ${same.length} time(s), and it was made ${occurrence} times.`
  const nearest = nearestOf(asked, recordings)
  if (nearest === undefined) {
    const known = [...new Set(recordings.map(({ kind, name }) => `${kind} "${name}"`))]
    return `The ${where} holds no call of ${what}. It holds calls of ${known.slice(0, 8).join(', ')}.`
  }
  const shown = nearest.found.slice(0, DIFFERENCES_SHOWN).map(describeDifference)
  const more = nearest.found.length - shown.length
  return [
    `The ${where} holds no recording of this call of ${what}. The nearest one differs in ${nearest.found.length} place(s):`,
    ...shown,
    ...(more > 0 ? [`  and ${more} more`] : []),
  ].join('\n')
}

function nearestOf(
  asked: Question,
  recordings: readonly Recording[],
): { readonly found: readonly Difference[] } | undefined {
  let best: { readonly found: readonly Difference[] } | undefined
  for (const one of recordings) {
    if (one.kind !== asked.kind || one.name !== asked.name) continue
    const found = differences(one.request, asked.request)
    if (best === undefined || found.length < best.found.length) best = { found }
  }
  return best
}
