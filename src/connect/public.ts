// What `mandate/connect` offers: tools that reach files, networks, databases and commands.
export {
  documents,
  fileContext,
  fileTools,
  httpFetch,
  installedModels,
  kv,
  memoryTools,
  shellIsolation,
  shellTool,
  skillsIn,
  sqlOverPostgres,
  sqlOverSqlite,
  sqlTools,
} from './index.ts'
export type { PostgresPool, SqlDatabase } from './index.ts'
