import type { PostgresLink } from '../link.ts'
import type { Sealing } from '../../entry-cipher.ts'

/** What those who read and write the tables of the data need. */
export interface DataPlace {
  readonly link: PostgresLink
  readonly sealing: Sealing
  /** Whether the server compares vectors itself. */
  readonly hasVectorType: boolean
}
