import type { Json, JsonObject } from '../../../core/index.ts'
import type { RunFilter } from '../../../journal/index.ts'
import type { Call } from '../route.ts'
import { placeIn, placeText } from './list-place.ts'
import { shownRun } from './run-schemas.ts'

const PAGE = 50

/** Returns a page of the runs that the caller may see, newest first. */
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
    ? { runs, next: placeText({ at: last.createdAt, run: last.run }) }
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
