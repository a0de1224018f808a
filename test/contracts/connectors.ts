import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { onTestFinished } from 'vitest'
import * as connect from '../../src/connect/index.ts'
import * as mcp from '../../src/connect/mcp/index.ts'
import type { Json } from '../../src/core/index.ts'
import { inMemoryDatabase } from '../../src/memory/index.ts'
import type { Tool } from '../../src/tool/index.ts'
import { notesFile, stdioServer } from '../mcp/bench.ts'

/** A connector, a call of one of its tools that leaves a trace in the world, and whether it did. */
export interface Connected {
  readonly tools: readonly Tool[]
  readonly call: { readonly name: string; readonly input: { readonly [name: string]: Json } }
  reached(): boolean
}

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'mandate-connector-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

async function overMcp(name: string): Promise<Connected> {
  const notes = notesFile()
  const connection = await mcp.connectMcp(stdioServer('honest', {}, notes.path), { name })
  onTestFinished(() => connection.close())
  return {
    tools: connection.tools,
    call: { name: `${name}__echo`, input: { text: 'hello' } },
    reached: () => notes.lines().some((line) => line.includes('echo')),
  }
}

/** By the name of the function that gives the tools. */
export const CONNECTORS: { readonly [name: string]: () => Promise<Connected> } = {
  fileTools: async () => {
    const root = folder()
    return {
      tools: connect.fileTools({ root, write: true }),
      call: { name: 'write_file', input: { path: 'a.txt', content: 'x' } },
      reached: () => existsSync(join(root, 'a.txt')),
    }
  },
  shellTool: async () => {
    const root = folder()
    return {
      tools: [connect.shellTool({ root, allow: ['touch'], isolation: 'none' })],
      call: { name: 'run_command', input: { argv: ['touch', 'a.txt'] } },
      reached: () => existsSync(join(root, 'a.txt')),
    }
  },
  sqlTools: async () => {
    const path = join(folder(), 'shop.db')
    const seed = new DatabaseSync(path)
    seed.exec('CREATE TABLE orders (id INTEGER)')
    seed.close()
    return {
      tools: connect.sqlTools({ database: connect.sqlOverSqlite({ path, write: true }) }),
      call: { name: 'sql_execute', input: { sql: 'INSERT INTO orders VALUES (?)', params: [1] } },
      reached() {
        const reader = new DatabaseSync(path, { readOnly: true })
        const { n } = reader.prepare('SELECT count(*) AS n FROM orders').get() as { n: number }
        reader.close()
        return n > 0
      },
    }
  },
  httpFetch: async () => {
    let requests = 0
    const server = createServer((_, response) => {
      requests += 1
      response.end('ok')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    return {
      tools: [connect.httpFetch({ allow: [`127.0.0.1:${port}`] })],
      call: { name: 'http_fetch', input: { url: `http://127.0.0.1:${port}/` } },
      reached: () => requests > 0,
    }
  },
  memoryTools: async () => {
    const database = inMemoryDatabase()
    let isReached = false
    return {
      tools: connect.memoryTools({
        database: {
          ...database,
          async write(...given) {
            isReached = true
            await database.write(...given)
          },
        },
      }),
      call: { name: 'memory_save', input: { text: 'hello' } },
      reached: () => isReached,
    }
  },
  documents: async () => {
    const database = inMemoryDatabase()
    let isReached = false
    const kept = connect.documents({
      database: {
        ...database,
        search(...given) {
          isReached = true
          return database.search(...given)
        },
      },
    })
    await kept.index([{ source: 'a.md', text: 'hello' }])
    isReached = false
    return {
      tools: [kept.tool()],
      call: { name: 'search_documents', input: { query: 'hello' } },
      reached: () => isReached,
    }
  },
  kv: async () => {
    const store = new Map<string, Json>()
    return {
      tools: connect.kv({ store }),
      call: { name: 'kv_set', input: { key: 'a', value: 1 } },
      reached: () => store.size > 0,
    }
  },
  connectMcp: () => overMcp('one'),
  mcpTools: async () => {
    const notes = notesFile()
    const servers = await mcp.mcpTools({ mcpServers: { two: stdioServer('honest', {}, notes.path) } })
    onTestFinished(() => servers.close())
    return {
      tools: servers.tools,
      call: { name: 'two__echo', input: { text: 'hello' } },
      reached: () => notes.lines().some((line) => line.includes('echo')),
    }
  },
}

/** Functions of the same doors that give nothing which could be called: why each needs no case. */
export const NO_TOOLS: { readonly [name: string]: string } = {
  fileContext: 'a source that a session of cells reads through the tools of its context',
  installedModels: 'gives models; those pass the gate as effects of kind model',
  sqlOverPostgres: 'reached through sqlTools only',
  sqlOverSqlite: 'reached through sqlTools only',
  skillsIn: 'reads texts before a run begins; use_skill is a tool of the agent',
  shellIsolation: 'says what this machine can do',
  isListed: 'compares a path with a list of patterns',
  readMcpConfig: 'reads a configuration',
  readMcpFile: 'reads a configuration',
  mcpServerHash: 'names a configuration',
}

/** Every function behind the doors of the room. */
export function exportedFunctions(): readonly string[] {
  return [...Object.entries(connect), ...Object.entries(mcp)]
    .filter(([, value]) => typeof value === 'function')
    .map(([name]) => name)
}
