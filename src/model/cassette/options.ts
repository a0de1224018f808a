import type { Json, FieldNames } from '../../core/index.ts'
import type { Redactor } from '../../redact/index.ts'

/** `record` calls and writes down; `replay` answers from what was written and calls nothing; `live` calls and writes nothing. */
export type CassetteMode = 'record' | 'replay' | 'live'

/** Where cassettes are kept. `read` gives nothing when there is none of that name. */
export interface CassetteStorage {
  read(name: string): string | undefined | Promise<string | undefined>
  write(name: string, text: string): void | Promise<void>
}

export interface CassetteOptions {
  readonly mode: CassetteMode
  readonly storage: CassetteStorage
  /** What the storage calls it. */
  readonly name?: string | undefined
  /** Takes out of everything that is recorded what must not be seen; applied to requests before they are compared, too. */
  readonly redactor?: Redactor | undefined
  /** Secret values by name. A recording holds `[secret:name]` instead. */
  readonly secrets?: Readonly<Record<string, string>> | undefined
  /** What of a request counts, where parts of it (dates, ids) change from run to run. */
  readonly matchOn?: ((request: Json, name: string) => Json) | undefined
  /** The sentence that tells how to record again. */
  readonly rerecord?: string | undefined
}

export const CASSETTE_OPTIONS: FieldNames<CassetteOptions> = {
  mode: true,
  storage: true,
  name: true,
  redactor: true,
  secrets: true,
  matchOn: true,
  rerecord: true,
}

/** What a cassette was used for. */
export interface CassetteReport {
  readonly mode: CassetteMode
  readonly recorded: number
  readonly played: number
  /** Unused recordings: leftovers, or a test that does less than it did. */
  readonly unused: readonly string[]
  /** Calls that were not recorded, as they were told to the caller; here also for callers that swallowed the error. */
  readonly misses: readonly string[]
}
