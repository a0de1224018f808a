import type { PostgresLink } from '../../store/postgres/index.ts'

/** Where DBOS keeps its tables for a schema of ours. Two stores in one database do not meet there. */
export function systemSchema({ options }: PostgresLink): string {
  return `${options.schema}_dbos`
}

/** The table of segments that are queued, under way or over. */
export function segmentTable(link: PostgresLink): string {
  return `"${systemSchema(link)}".workflow_status`
}

/** The table of what is stored of each segment. */
export function inputTable(link: PostgresLink): string {
  return `"${systemSchema(link)}".workflow_input`
}

/** The table of what each segment came to, which is nothing: what a run came to is in its journal. */
export function outputTable(link: PostgresLink): string {
  return `"${systemSchema(link)}".workflow_output`
}
