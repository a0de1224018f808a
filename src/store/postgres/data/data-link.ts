import type { StoredRow } from '../../../memory/index.ts'
import type { RekeyReport } from '../../encryption/index.ts'
import { Gathering } from '../../gathering.ts'
import { closed } from '../link.ts'
import type { PostgresLink } from '../link.ts'
import { migrate } from '../migrations.ts'
import { rekeySchema, sealingOf } from '../key-shelf.ts'
import type { DataPlace } from './data-place.ts'
import { carryPuts } from './record-rows.ts'
import type { Put } from './record-rows.ts'
import { DATA_PART } from './schema.ts'
import { findVectorType } from './vector-type.ts'

/** The way to the data: connected and brought up to date by the first call. */
export class DataLink {
  readonly closed: () => Error = closed
  readonly link: PostgresLink
  readonly #puts: Gathering<Put & { readonly order: number }, void>
  #order = 0
  #place: Promise<DataPlace> | undefined

  constructor(link: PostgresLink) {
    this.link = link
    this.#puts = new Gathering({
      carry: async (puts) => carryPuts(await this.ready(), puts),
      // All go together; one load at a time keeps the order in which they were asked for.
      keyOf: ({ order }) => String(order),
      sizeOf: ({ rows }) => rows.reduce((sum, { text }) => sum + text.length, 0),
      lanes: 1,
    })
  }

  put(space: string, rows: readonly StoredRow[]): Promise<void> {
    return this.#puts.ask({ space, rows, order: this.#order++ })
  }

  ready(): Promise<DataPlace> {
    this.#place ??= this.#prepare()
    return this.#place
  }

  /** What is open already goes on with the keys it has; the next who opens has the new one. */
  async rekey(): Promise<RekeyReport> {
    await this.ready()
    const report = await rekeySchema(this.link, await migrate(this.link, DATA_PART))
    this.#place = undefined
    return report
  }

  async #prepare(): Promise<DataPlace> {
    try {
      const storeId = await migrate(this.link, DATA_PART)
      const sealing = await sealingOf(this.link, storeId)
      return { link: this.link, sealing, hasVectorType: !sealing.isSealing && (await findVectorType(this.link)) }
    } catch (error) {
      this.#place = undefined
      throw error
    }
  }
}
