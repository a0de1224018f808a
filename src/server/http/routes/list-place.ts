import { MandateError, fromBase64, toBase64 } from '../../../core/index.ts'
import type { ListPlace } from '../../../journal/index.ts'

/** Encodes the end of a page as a cursor that is opaque to clients. */
export function placeText({ at, run }: ListPlace): string {
  return toBase64(new TextEncoder().encode(JSON.stringify([at, run])))
}

export function placeIn(text: string): ListPlace {
  try {
    const [at, run] = JSON.parse(new TextDecoder().decode(fromBase64(text))) as [unknown, unknown]
    if (typeof at === 'number' && typeof run === 'string') return { at, run }
  } catch {
    // Reported below, like any other text that is not a cursor.
  }
  throw new MandateError('INPUT_INVALID', '`after` is not where a page ended. Give the `next` of the page before.')
}
