import type { StoredRow } from '../../../memory/index.ts'
import type { RekeyReport } from '../../encryption/index.ts'
import { PreparedPlace } from '../../shared-connection.ts'
import { orderedPuts } from '../../ordered-puts.ts'
import { closed } from '../link.ts'
import type { PostgresLink } from '../link.ts'
import { migrate } from '../migrations.ts'
import { rekeySchema, sealingOf } from '../key-shelf.ts'
import type { DataPlace } from './data-place.ts'
import { executePuts } from './record-rows.ts'
import { DATA_PART } from './schema.ts'
import { findVectorType } from './vector-type.ts'

/** The connection to the data: opened and migrated by the first call. */
export class DataLink {
  readonly closed: () => Error = closed
  readonly link: PostgresLink
  /** Writes rows, batched with concurrent writes. */
  readonly put: (space: string, rows: readonly StoredRow[]) => Promise<void>
  readonly #place: PreparedPlace<DataPlace>

  constructor(link: PostgresLink) {
    this.link = link
    this.#place = new PreparedPlace(() => this.#prepare())
    this.put = orderedPuts(async (puts) => executePuts(await this.ready(), puts))
  }

  ready(): Promise<DataPlace> {
    return this.#place.ready()
  }

  /** Clients that are already open continue with their keys; those opened later use the new one. */
  async rekey(): Promise<RekeyReport> {
    await this.ready()
    const report = await rekeySchema(this.link, await migrate(this.link, DATA_PART))
    this.#place.forget()
    return report
  }

  async #prepare(): Promise<DataPlace> {
    const storeId = await migrate(this.link, DATA_PART)
    const sealing = await sealingOf(this.link, storeId)
    return { link: this.link, sealing, hasVectorType: !sealing.isSealing && (await findVectorType(this.link)) }
  }
}
