import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { AgentService } from 'mandate'
import * as connect from 'mandate/connect'
import * as mcp from 'mandate/mcp'
import { inMemoryDatabase } from 'mandate/memory'
import * as postgres from 'mandate/postgres'
import * as redis from 'mandate/redis'
import * as server from 'mandate/server'
import * as sqlite from 'mandate/sqlite'
import { CALLS } from './option-calls.ts'
import { fieldsOf } from './option-interfaces.ts'

/** The functions of the server, the stores and the connectors. */
const TAKERS = Object.keys(CALLS).filter((taker) =>
  /^(?:httpServer|studioPart|mcpServer|mcpTools|connectMcp|readMcp|webhooks|(?:open)?[pP]ostgres|redis|sqlite|openStore|retain|httpFetch|kv|fileTools|fileContext|memoryTools|[dD]ocuments|shellTool|sql|sessionFiles|DataClients)/.test(
    taker,
  ),
)
const folder = mkdtempSync(join(tmpdir(), 'mandate-kinds-'))
/** A string that is a path as well: some of what is called here makes the file that it is told. */
const TEXT = join(folder, 'text')
/** One value of each kind; for every option most of them are wrong. */
const VALUES: readonly unknown[] = [
  ...[null, true, 7, Number.NaN, TEXT, '', {}, { a: 1 }],
  ...[[7], [TEXT], [{}], [null], () => 1],
]
/** Without a name these are the folder of the process. */
const PLACES: readonly string[] = ['dir', 'path', 'root', 'folder']

/** What a call needs so that it gets as far as the option in question. */
const NEEDED: Readonly<Record<string, object>> = {
  openStore: { dir: folder },
  mcpServer: { service: new AgentService() },
  shellTool: { root: folder, allow: ['ls'] },
  fileTools: { root: folder },
  documents: { database: inMemoryDatabase() },
  memoryTools: { database: inMemoryDatabase() },
  sessionFiles: { dir: folder },
}

/** What is thrown that is no error of this package; what is returned is closed. */
async function raw(call: () => unknown): Promise<string | undefined> {
  try {
    const made = (await call()) as { readonly close?: () => unknown } | undefined
    await made?.close?.()
    return undefined
  } catch (error) {
    return (error as Error).name === 'MandateError' ? undefined : String(error)
  }
}

test.each(TAKERS)('%s names what is wrong with a value of the wrong kind', async (taker) => {
  const [name, type] = taker.split(/: (.*)/) as [string, string]
  const found: Record<string, string> = {}
  for (const field of fieldsOf(type === 'McpServer' ? 'McpStdioServer' : type))
    for (const value of VALUES) {
      if (value === '' && PLACES.includes(field)) continue
      const problem = await raw(() => CALLS[taker]!({ ...NEEDED[name], [field]: value } as never))
      if (problem !== undefined) found[`${field}: ${JSON.stringify(value) ?? 'a function'}`] = problem
    }
  expect(found).toEqual({})
})

/** Those whose first argument is no object of options. */
const FIRST: Readonly<Record<string, (given: never) => unknown>> = {
  'readMcpConfig(text)': (given) => mcp.readMcpConfig(given),
  'readMcpFile(path)': (given) => mcp.readMcpFile(given),
  'mcpTools(servers)': (given) => mcp.mcpTools(given),
  'connectMcp(server)': (given) => mcp.connectMcp(given),
  'mcpServerHash(server)': (given) => mcp.mcpServerHash(given),
  'httpServer(service)': (given) => server.httpServer(given, undefined as never),
  'httpServer(_, options)': (given) => server.httpServer(new AgentService(), given),
  'mcpServer(options)': (given) => server.mcpServer(given),
  'webhooks(service)': (given) => server.webhooks(given, {}),
  'webhooks(_, options)': (given) => server.webhooks(new AgentService(), given),
  'recoverRuns(service)': (given) => server.recoverRuns(given),
  'conversationPart(service)': (given) => server.conversationPart(given, {} as never),
  'keyRing(text)': (given) => sqlite.keyRing(given),
  'keyRingFromFile(path)': (given) => sqlite.keyRingFromFile(given),
  'keyRingFromEnvironment(environment)': (given) => sqlite.keyRingFromEnvironment(given),
  'sqliteJournal(options)': (given) => sqlite.sqliteJournal(given),
  'sqliteData(options)': (given) => sqlite.sqliteData(given),
  'retain(journal)': (given) => sqlite.retain(given, { now: 1, keepRuns: 1 }),
  'sessionFiles(options)': (given) => sqlite.sessionFiles(given),
  'rebuildSessionFiles(journal)': (given) => sqlite.rebuildSessionFiles(given, 'r', folder),
  'postgresJournal(options)': (given) => postgres.postgresJournal(given),
  'postgresData(options)': (given) => postgres.postgresData(given),
  'openPostgres(options)': (given) => postgres.openPostgres(given),
  'redisCounters(options)': (given) => redis.redisCounters(given),
  'redisData(options)': (given) => redis.redisData(given),
  'documents(options)': (given) => connect.documents(given),
  'fileContext(path)': (given) => connect.fileContext(given),
  'fileTools(options)': (given) => connect.fileTools(given),
  'httpFetch(options)': (given) => connect.httpFetch(given),
  'kv(options)': (given) => connect.kv(given),
  'memoryTools(options)': (given) => connect.memoryTools(given),
  'shellTool(options)': (given) => connect.shellTool(given),
  'skillsIn(folder)': (given) => connect.skillsIn(given),
  'sqlOverPostgres(options)': (given) => connect.sqlOverPostgres(given),
  'sqlOverSqlite(options)': (given) => connect.sqlOverSqlite(given),
  'sqlTools(options)': (given) => connect.sqlTools(given),
}

test.each(Object.keys(FIRST))('%s names what is wrong with another argument', async (name) => {
  const found: Record<string, string> = {}
  for (const value of [undefined, ...VALUES]) {
    const problem = await raw(() => FIRST[name]!(value as never))
    if (problem !== undefined) found[JSON.stringify(value) ?? typeof value] = problem
  }
  expect(found).toEqual({})
})
