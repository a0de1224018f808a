export { documents } from './documents/documents.ts'
export type { Documents, DocumentsOptions } from './documents/documents.ts'
export { PROTECTED_PATHS, fileTools } from './files/file-tools.ts'
export type { FileToolOptions } from './files/file-tools.ts'
export { httpFetch } from './http/http-fetch.ts'
export type { HttpFetchOptions } from './http/http-fetch.ts'
export { installedModels } from './installed-models.ts'
export { kv } from './kv.ts'
export type { KvOptions } from './kv.ts'
export { memoryTools } from './memory-tools.ts'
export type { MemoryToolsOptions } from './memory-tools.ts'
export type {
  SqlCall,
  SqlChange,
  SqlDatabase,
  SqlLimits,
  SqlParam,
  SqlRows,
  SqlStatement,
  SqlTable,
} from './sql/database.ts'
export { sqlOverPostgres } from './sql/sql-over-postgres.ts'
export type { PostgresClient, SqlOverPostgresOptions, PostgresPool, PostgresResult } from './sql/sql-over-postgres.ts'
export { sqlTools } from './sql/sql-tools.ts'
export type { SqlToolOptions } from './sql/sql-tools.ts'
export { sqlOverSqlite } from './sql/sql-over-sqlite.ts'
export type { SqlOverSqliteOptions } from './sql/sql-over-sqlite.ts'
export { skillsIn } from './skills.ts'
export { isolationHere as shellIsolation } from './shell/isolation.ts'
export type { Isolation, IsolationReport } from './shell/isolation.ts'
export { shellTool } from './shell/shell-tool.ts'
export type { ShellOptions } from './shell/shell-tool.ts'
export type { IndexOptions } from './documents/document-index.ts'
export type { PassageSearchOptions } from './documents/passages.ts'
export type { SearchToolOptions } from './documents/search-tool.ts'
