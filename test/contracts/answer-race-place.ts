import type { Journal } from '../../src/journal/index.ts'
import { postgresJournal } from '../../src/store/postgres/index.ts'
import { sqliteJournal } from '../../src/store/sqlite/index.ts'

/** Where a store is, as it is told to another process. */
export type Place = { readonly path: string } | { readonly url: string; readonly schema: string }

export function openPlace(place: Place): Journal {
  return 'path' in place ? sqliteJournal(place) : postgresJournal(place)
}
