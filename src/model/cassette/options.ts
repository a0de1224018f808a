import type { Json, FieldNames } from '../../core/index.ts'
import type { Redactor } from '../../redact/index.ts'

/** `record` makes calls and records them; `replay` answers from recordings and calls nothing; `live` makes calls and records nothing. */
export type CassetteMode = 'record' | 'replay' | 'live'

/** Stores cassettes. `read` returns `undefined` if there is none of that name. */
export interface CassetteStorage {
  read(name: string): string | undefined | Promise<string | undefined>
  write(name: string, text: string): void | Promise<void>
}

export interface CassetteOptions {
  readonly mode: CassetteMode
  readonly storage: CassetteStorage
  /** Its name in the storage. */
  readonly name?: string | undefined
  /** Redacts everything that is recorded; also applied to requests before they are compared. */
  readonly redactor?: Redactor | undefined
  /** Secret values by name. A recording has `[secret:name]` instead. */
  readonly secrets?: Readonly<Record<string, string>> | undefined
  /** The part of a request that is compared, if other parts (dates, ids) differ between runs. */
  readonly matchOn?: ((request: Json, name: string) => Json) | undefined
  /** The sentence in error messages that explains how to record again. */
  readonly rerecord?: string | undefined
}

export const CASSETTE_OPTIONS: FieldNames<CassetteOptions> = {
  mode: 'text',
  storage: 'object',
  name: 'text',
  redactor: 'object',
  secrets: 'object',
  matchOn: 'function',
  rerecord: 'text',
}

/** A report of a cassette's use. */
export interface CassetteReport {
  readonly mode: CassetteMode
  readonly recorded: number
  readonly played: number
  /** Unused recordings: leftovers, or a sign that a test makes fewer calls than before. */
  readonly unused: readonly string[]
  /** The errors of calls that were not recorded; also listed here for callers that swallow errors. */
  readonly misses: readonly string[]
}
