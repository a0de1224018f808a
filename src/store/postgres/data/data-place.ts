import type { PostgresLink } from '../link.ts'
import type { Sealing } from '../../entry-cipher.ts'

/** What readers and writers of the data tables use. */
export interface DataPlace {
  readonly link: PostgresLink
  readonly sealing: Sealing
  /** Whether the server has vector operators. */
  readonly hasVectorType: boolean
}
