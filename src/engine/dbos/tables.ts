import type { PostgresLink } from '../../store/postgres/index.ts'

/** Returns the schema of the DBOS tables that belongs to a schema of the store. Two stores in one database have separate schemas. */
export function systemSchema({ options }: PostgresLink): string {
  return `${options.schema}_dbos`
}

/** Returns the table of segments that are queued, in progress or finished. */
export function segmentTable(link: PostgresLink): string {
  return `"${systemSchema(link)}".workflow_status`
}

/** Returns the table of the inputs of segments. */
export function inputTable(link: PostgresLink): string {
  return `"${systemSchema(link)}".workflow_input`
}

/** Returns the table of the outputs of segments. Outputs are empty, because the outcome of a run is in its journal. */
export function outputTable(link: PostgresLink): string {
  return `"${systemSchema(link)}".workflow_output`
}
