import { connect } from 'node:net'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import pg from 'pg'
import { calls, model } from '../../src/agent/agent.fixture.ts'
import type { AgentConfig } from '../../src/agent/index.ts'
import { sqlOverPostgres, sqlOverSqlite, sqlTools } from '../../src/connect/index.ts'
import type { SqlDatabase } from '../../src/connect/index.ts'
import { connectMcp } from '../../src/connect/mcp/index.ts'
import { has } from '../servers/servers.ts'
import { sharedServer } from '../servers/shared.ts'
import { stripped } from '../stripped.ts'
import { fetching, listener } from './waits.ts'
import type { Stall, Wait } from './waits.ts'

const ENDLESS = 'WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c'
const MCP_SERVER = stripped(new URL('../mcp/stdio-server.fixture.ts', import.meta.url))

/** Before Node 24.10 SQLite cannot ask what a statement may do, and the connector refuses to run any. */
const canAsk = typeof DatabaseSync.prototype.setAuthorizer === 'function'

/** An agent that makes one query, and the moment in which it is made. */
function querying(database: SqlDatabase, sql: string, timeoutMs: number): Pick<Stall, 'agent' | 'reached'> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const telling: SqlDatabase = { ...database, query: (statement, call) => (resolve(), database.query(statement, call)) }
  const tools = sqlTools({ database: telling, timeoutMs }).map((one) => ({ ...one, safeByDefault: true }))
  const agent: AgentConfig = { model: model([calls({ name: 'sql_query', input: { sql } }), 'Done.']), tools }
  return { agent, reached: promise }
}

function folder(): { readonly path: string; readonly remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'mandate-waits-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

/** A file of SQLite; `busy` statements that never end are under way in its processes already. */
function sqlite(busy: number): Wait['stall'] {
  return (timeoutMs) => {
    const { path, remove } = folder()
    const file = join(path, 'shop.db')
    new DatabaseSync(file).close()
    const database = sqlOverSqlite({ path: file, maxProcesses: 1 })
    const limits = { maxRows: 1, maxBytes: 1_000, timeoutMs: 600_000 }
    const { signal } = new AbortController()
    for (let count = 0; count < busy; count++)
      database.query({ sql: ENDLESS, params: [] }, { limits, signal }).catch(() => {})
    const close = async (): Promise<void> => {
      await database.close()
      remove()
    }
    return { ...querying(database, busy === 0 ? ENDLESS : 'SELECT 1', timeoutMs), close }
  }
}

/** A pool of connections to the shared server. */
async function pool(max: number): Promise<pg.Pool> {
  const made = new pg.Pool({ connectionString: await sharedServer('postgres'), max })
  made.on('error', () => {})
  return made
}

function postgres(prepare: (own: pg.Pool) => Promise<{ sql: string; undo: () => unknown }>): Wait['stall'] {
  return async (timeoutMs) => {
    const own = await pool(2)
    const { sql, undo } = await prepare(own)
    const close = async (): Promise<void> => {
      await undo()
      await own.end()
    }
    return { ...querying(sqlOverPostgres({ pool: own, trustRole: true }), sql, timeoutMs), close }
  }
}

/** An address of this machine that takes no more connections: its queue is full, and what listens there never accepts. */
async function deafAddress(): Promise<{ host: string; close: () => Promise<unknown> }> {
  const code = `const { parentPort } = require('node:worker_threads')
    const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
      parentPort.postMessage(server.address().port)
      setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0))
    })`
  const worker = new Worker(code, { eval: true })
  const port = await new Promise<number>((resolve) => worker.once('message', resolve))
  await new Promise((resolve) => setTimeout(resolve, 50))
  const sockets = Array.from({ length: 6 }, () => connect(port, '127.0.0.1').on('error', () => {}))
  await new Promise((resolve) => sockets[0]!.once('connect', resolve))
  const close = (): Promise<unknown> => {
    for (const socket of sockets) socket.destroy()
    return worker.terminate()
  }
  return { host: `127.0.0.1:${port}`, close }
}

/** Tells when the tool of an agent is called. */
function told(agent: AgentConfig): Pick<Stall, 'agent' | 'reached'> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const tools = (agent.tools as { run: (...given: never[]) => unknown }[]).map((one) => ({
    ...one,
    run: (...given: never[]) => (resolve(), one.run(...given)),
  }))
  return { agent: { ...agent, tools }, reached: promise }
}

/** A server of the Model Context Protocol in one of the modes of the fixture. */
function mcp(mode: string, tool: string, isReached: (notes: string) => boolean): Wait['stall'] {
  return async (timeoutMs) => {
    const { path, remove } = folder()
    const notes = join(path, 'notes')
    const server = { command: process.execPath, args: [MCP_SERVER, mode, notes], timeoutMs, connectTimeoutMs: 10_000 }
    const connection = await connectMcp(server, { name: 'fix' })
    const names = mode === 'mute-again' ? ['fix__crash', tool] : [tool]
    const replies = names.map((name) => calls(name))
    const agent: AgentConfig = {
      model: model([...replies, 'Done.']),
      tools: connection.tools.map((one) => ({ ...one, safeByDefault: true })),
    }
    const reached = (async (): Promise<void> => {
      while (!isReached(readFileSync(notes, 'utf8'))) await new Promise((resolve) => setTimeout(resolve, 20))
    })()
    const close = async (): Promise<void> => {
      await connection.close()
      remove()
    }
    return { agent, options: { mandate: { profile: 'local-permissive' } }, reached, close }
  }
}

/** Every wait of a run for a connection, a database or a process behind a connector. */
export const CONNECTOR_WAITS: readonly Wait[] = [
  {
    name: 'a TCP connection',
    limit: 'timeoutMs of the tool',
    async stall(timeoutMs) {
      const { host, close } = await deafAddress()
      return { ...told(fetching(`http://${host}/`, { allow: [host], timeoutMs })), close }
    },
  },
  {
    name: 'a TLS handshake',
    limit: 'timeoutMs of the tool',
    async stall(timeoutMs) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const { host, close } = await listener((socket) => socket.once('data', () => resolve()))
      return { agent: fetching(`https://${host}/`, { allow: [host], timeoutMs }), reached: promise, close }
    },
  },
  {
    name: 'a statement of SQLite that never ends',
    limit: 'timeoutMs of the tool',
    isPossible: canAsk,
    stall: sqlite(0),
  },
  {
    name: 'a process for SQLite',
    limit: 'timeoutMs of the tool',
    says: 'waited 1500 ms for its turn',
    isPossible: canAsk,
    stall: sqlite(1),
  },
  {
    name: 'a statement of PostgreSQL that never ends',
    limit: 'timeoutMs of the tool',
    isPossible: has('postgres'),
    stall: postgres(async () => ({ sql: 'SELECT pg_sleep(600)', undo: () => undefined })),
  },
  {
    name: 'a lock in PostgreSQL',
    limit: 'timeoutMs of the tool',
    isPossible: has('postgres'),
    stall: postgres(async () => {
      const holder = await pool(1)
      const name = `locked_${process.pid}_${Math.floor(performance.now() * 1_000)}`
      const client = await holder.connect()
      await client.query(`CREATE TABLE ${name} (n int)`)
      await client.query('BEGIN')
      await client.query(`LOCK TABLE ${name} IN ACCESS EXCLUSIVE MODE`)
      const undo = async (): Promise<void> => {
        await client.query('ROLLBACK')
        await client.query(`DROP TABLE ${name}`)
        client.release()
        await holder.end()
      }
      return { sql: `SELECT * FROM ${name}`, undo }
    }),
  },
  {
    name: 'a connection of the pool of PostgreSQL',
    limit: 'timeoutMs of the tool',
    says: 'no connection within 1500 ms',
    isPossible: has('postgres'),
    stall: postgres(async (own) => {
      const all = await Promise.all([own.connect(), own.connect()])
      return { sql: 'SELECT 1', undo: () => all.forEach((client) => client.release()) }
    }),
  },
  {
    name: 'a server of PostgreSQL that says nothing',
    limit: 'timeoutMs of the tool',
    says: 'no connection within 1500 ms',
    async stall(timeoutMs) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const { host, close } = await listener((socket) => socket.once('data', () => resolve()))
      const own = new pg.Pool({ connectionString: `postgres://x:x@${host}/x`, max: 1 })
      own.on('error', () => {})
      const { agent } = querying(sqlOverPostgres({ pool: own }), 'SELECT 1', timeoutMs)
      return { agent, reached: promise, close }
    },
  },
  {
    name: 'a tool call of an MCP server',
    limit: 'timeoutMs of the tool',
    stall: mcp('silent', 'fix__slow', (notes) => notes.includes('call slow')),
  },
  {
    name: 'the new start of an MCP server',
    limit: 'timeoutMs of the tool',
    says: 'not reached within 1500 ms',
    stall: mcp('mute-again', 'fix__echo', (notes) => notes.includes('mute')),
  },
]
