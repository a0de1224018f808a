import {
  isRecord,
  checkNumbers,
  type Json,
  type Label,
  MandateError,
  type FieldNames,
  checkNeeded,
} from '../../core/index.ts'
import { type Tool, type ToolContext, defineTool } from '../../tool/index.ts'
import type { SqlCall, SqlDatabase, SqlLimits, SqlParam, SqlStatement } from './database.ts'
import { isChecked } from '../checks.ts'
import { checkWhole } from '../whole-text.ts'
import { badStatement, oneStatement } from './sql-errors.ts'

interface SqlToolOptions {
  readonly database: SqlDatabase
  /** The maximum number of rows of a query; 200 by default. */
  readonly maxRows?: number | undefined
  /** The maximum size of the rows as JSON in bytes; 200,000 by default. */
  readonly maxBytes?: number | undefined
  /** The time limit of a statement; 10 seconds by default. */
  readonly timeoutMs?: number | undefined
  /** Labels of the results; `untrusted:database` by default. */
  readonly labels?: readonly Label[] | undefined
  /** A prefix of the tools' names, for an agent with several databases: `shop` gives `shop_sql_query`. */
  readonly prefix?: string | undefined
}

const SQL_TOOL_OPTIONS: FieldNames<SqlToolOptions> = {
  database: 'object',
  maxRows: true,
  maxBytes: true,
  timeoutMs: true,
  labels: 'texts',
  prefix: 'text',
}

const TEXT_MAX = 100_000
const PARAMS_MAX = 1_000
/** Beyond this many tables only their names are listed. */
const DESCRIBED_MAX = 60

interface Input {
  readonly sql: string
  readonly params?: readonly SqlParam[]
}

/**
 * Creates tools for a database: `sql_query` reads, `sql_schema` lists tables and columns, and if the database was opened for writing, `sql_execute`
 * changes rows. Values are bound, never written into the text; the database itself enforces that a query only reads.
 *
 * @example
 * ```ts
 * import { sqlTools, sqlOverSqlite } from 'mandate/connect'
 * const tools = sqlTools({ database: sqlOverSqlite({ path: 'shop.db' }), maxRows: 50 })
 * ```
 */
export function sqlTools(options: SqlToolOptions): readonly Tool[] {
  checkNeeded(options, 'an option of `sqlTools`', SQL_TOOL_OPTIONS)
  checkNumbers(options, 'an option of `sqlTools`', { maxRows: 'count+', maxBytes: 'count+', timeoutMs: 'amount+' })
  const { database, maxRows = 200, maxBytes = 200_000, timeoutMs = 10_000 } = options
  if (!isRecord(database))
    throw new MandateError(
      'CONFIG_INVALID',
      '`database` of sqlTools is missing. Give one, such as `sqlOverSqlite({ path })`.',
    )
  const limits: SqlLimits = { maxRows, maxBytes, timeoutMs }
  const facts = {
    safeByDefault: false,
    labels: options.labels ?? ['untrusted:database'],
    // Longer than the connector's own timeout, which has a more specific message.
    timeoutMs: timeoutMs * 2 + 5_000,
  }
  const name = (tool: string): string => (options.prefix === undefined ? tool : `${options.prefix}_${tool}`)
  return [
    queryTool(database, limits, { ...facts, name: name('sql_query') }),
    schemaTool(database, limits, { ...facts, name: name('sql_schema') }),
    ...(database.execute === undefined ? [] : [executeTool(database, limits, { ...facts, name: name('sql_execute') })]),
  ]
}

interface Facts {
  readonly name: string
  readonly safeByDefault: boolean
  readonly labels: readonly Label[]
  readonly timeoutMs: number
}

function queryTool(database: SqlDatabase, limits: SqlLimits, facts: Facts): Tool {
  return defineTool({
    ...facts,
    description: `Runs one SELECT on a ${database.dialect} database. Write values as ${database.placeholders} and give them in \`params\`. At most ${limits.maxRows} rows.`,
    inputSchema: inputSchema(database),
    risk: 'read',
    idempotent: true,
    async run(input: Input, ctx: ToolContext) {
      const { columns, rows, truncated } = await database.query(statementOf(input), callOf(limits, ctx))
      const shown: Json = { columns, rows, rowCount: rows.length }
      if (truncated === undefined) return shown
      const note = `There are more rows; the limit on ${truncated} cut them off. Narrow the query, or page with LIMIT and OFFSET.`
      return { ...shown, truncated, note }
    },
  })
}

function executeTool(database: SqlDatabase, limits: SqlLimits, facts: Facts): Tool {
  return defineTool({
    ...facts,
    description: `Runs one INSERT, UPDATE or DELETE on a ${database.dialect} database. Write values as ${database.placeholders} and give them in \`params\`.`,
    inputSchema: inputSchema(database),
    risk: 'write',
    async run(input: Input, ctx: ToolContext) {
      return (await database.execute!(statementOf(input), callOf(limits, ctx))) as unknown as Json
    },
  })
}

function schemaTool(database: SqlDatabase, limits: SqlLimits, facts: Facts): Tool {
  return defineTool({
    ...facts,
    description: `Lists the tables of a ${database.dialect} database with their columns.`,
    inputSchema: {
      type: 'object',
      properties: { table: { type: 'string', maxLength: 200, description: 'Only this table.' } },
      additionalProperties: false,
    },
    risk: 'read',
    idempotent: true,
    async run({ table }: { table?: string }, ctx: ToolContext) {
      const tables = await database.tables(callOf(limits, ctx))
      if (table !== undefined) {
        const found = tables.filter((one) => one.table.toLowerCase() === table.toLowerCase())
        if (found.length > 0) return { dialect: database.dialect, tables: found }
        throw badStatement(`there is no table ${table}`, `There are: ${tables.map((one) => one.table).join(', ')}.`)
      }
      if (tables.length <= DESCRIBED_MAX) return { dialect: database.dialect, tables }
      const note = 'Ask for one table to see its columns.'
      return { dialect: database.dialect, tables: tables.map((one) => one.table), note }
    },
  })
}

function inputSchema({ dialect, placeholders }: SqlDatabase): { readonly [keyword: string]: unknown } {
  return {
    type: 'object',
    properties: {
      sql: { type: 'string', minLength: 1, maxLength: TEXT_MAX, description: `One statement of ${dialect}.` },
      params: {
        type: 'array',
        maxItems: PARAMS_MAX,
        items: { type: ['string', 'number', 'boolean', 'null'] },
        description: `The values for ${placeholders}, in order.`,
      },
    },
    required: ['sql'],
    additionalProperties: false,
  }
}

function statementOf({ sql, params = [] }: Input): SqlStatement {
  if (sql.includes('\0')) throw badStatement('the text has a NUL character in it', 'Leave it out.')
  // A comment for this parser, but code for MySQL: the approver must be shown what the database executes.
  if (sql.includes('/*!'))
    throw badStatement('`/*!` is a comment to some databases and code to others', 'Leave it out.')
  checkWhole(sql, 'The statement')
  for (const param of params) if (typeof param === 'string') checkWhole(param, 'A value of the statement')
  if (isChecked('sql.one-statement') && endsTwice(sql)) throw oneStatement()
  return { sql, params }
}

/** Whether a second semicolon ends another, empty statement. */
function endsTwice(sql: string): boolean {
  const text = sql.trimEnd()
  return text.endsWith(';') && text.slice(0, -1).trimEnd().endsWith(';')
}

function callOf(limits: SqlLimits, { signal }: ToolContext): SqlCall {
  return { limits, signal }
}
