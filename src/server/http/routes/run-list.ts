import { MandateError, fromBase64, toBase64 } from '../../../core/index.ts'
import type { Json, JsonObject } from '../../../core/index.ts'
import type { ListPlace, RunFilter } from '../../../journal/index.ts'
import type { Call } from '../route.ts'
import { shownRun } from './run-schemas.ts'

const PAGE = 50

/** A page of the runs that the caller may know of, newest first. */
export async function listRuns({ service, query }: Call): Promise<Json> {
  const { state, agent, sessionId, parent, waiting, limit = PAGE, after } = query as Query
  const filter: RunFilter = {
    ...(state === undefined ? {} : { state }),
    ...(agent === undefined ? {} : { name: agent }),
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(parent === undefined ? {} : { parent: parent === 'none' ? null : parent }),
    ...(waiting === true ? { waiting } : {}),
    ...(after === undefined ? {} : { after: placeIn(after) }),
  }
  const found = await service.runs({ ...filter, limit: limit + 1 })
  const shown = found.slice(0, limit)
  const last = shown.at(-1)
  const runs: readonly JsonObject[] = shown.map(shownRun)
  return found.length > limit && last !== undefined
    ? { runs, next: cursor({ at: last.createdAt, run: last.run }) }
    : { runs }
}

interface Query {
  readonly state?: readonly string[]
  readonly agent?: string
  readonly sessionId?: string
  readonly parent?: string
  readonly waiting?: boolean
  readonly limit?: number
  readonly after?: string
}

/** Opaque to clients: only what was given out is taken back. */
function cursor(place: ListPlace): string {
  return toBase64(new TextEncoder().encode(JSON.stringify([place.at, place.run])))
}

function placeIn(text: string): ListPlace {
  try {
    const [at, run] = JSON.parse(new TextDecoder().decode(fromBase64(text))) as [unknown, unknown]
    if (typeof at === 'number' && typeof run === 'string') return { at, run }
  } catch {
    // Told below, like any other text that is none.
  }
  throw new MandateError('INPUT_INVALID', '`after` is not where a page ended. Give the `next` of the page before.')
}
