import type { PostgresLink } from '../link.ts'
import type { Vault } from '../../vault.ts'

/** What those who read and write the tables of the data need. */
export interface DataPlace {
  readonly link: PostgresLink
  readonly vault: Vault
  /** Whether the server compares vectors itself. */
  readonly hasVectorType: boolean
}
