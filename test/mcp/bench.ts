import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ErrorInfo, type Json, errorInfo } from '../../src/core/index.ts'
import { type McpConnection, connectMcp } from 'mandate/mcp'
import type { McpOptions } from '../../src/connect/mcp/connection.ts'
import type { McpStdioServer } from '../../src/connect/mcp/server-config.ts'
import type { ToolContext } from 'mandate/tool'
import { onTestFinished } from 'vitest'
import { stripped } from '../stripped.ts'

const SERVER = stripped(new URL('./stdio-server.fixture.ts', import.meta.url))

/** The server by hand in one of its modes. */
export function stdioServer(mode: string, more: Partial<McpStdioServer> = {}, notes = ''): McpStdioServer {
  return { command: process.execPath, args: [SERVER, mode, notes], ...more }
}

/** A file in which a server leaves notes. */
export function notesFile(): { readonly path: string; lines(): string[] } {
  const folder = mkdtempSync(join(tmpdir(), 'mandate-mcp-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'notes.txt')
  const lines = (): string[] => {
    try {
      return readFileSync(path, 'utf8').trim().split('\n')
    } catch {
      return []
    }
  }
  return { path, lines }
}

/** Connects for the length of a test. */
export async function connected(
  mode: string,
  more: Partial<McpStdioServer> = {},
  { notes, ...options }: McpOptions & { notes?: string } = {},
): Promise<McpConnection> {
  const connection = await connectMcp(stdioServer(mode, more, notes), { name: 'fix', ...options })
  onTestFinished(() => connection.close())
  return connection
}

export interface Called {
  readonly value?: unknown
  readonly error?: ErrorInfo
  readonly events: readonly Json[]
}

/** Calls a tool as the kernel would: an error is data. */
export async function callTool(
  connection: McpConnection,
  name: string,
  input: Json = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<Called> {
  const tool = connection.tools.find((one) => one.name === `${connection.name}__${name}`)
  if (tool === undefined) throw new Error(`There is no tool ${name}.`)
  const events: Json[] = []
  const ctx = {
    signal,
    emit: (event: string, data: Json) => void events.push({ event, data }),
  } as unknown as ToolContext
  try {
    return { value: await tool.run(input, ctx), events }
  } catch (error) {
    return { error: errorInfo(error), events }
  }
}
