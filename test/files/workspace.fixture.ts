import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Json } from 'mandate'
import { fileTools } from 'mandate/connect'
import type { FileToolOptions } from '../../src/connect/files/file-tools.ts'
import type { Tool, ToolContext } from 'mandate/tool'
import { onTestFinished } from 'vitest'

/** A workspace on a real disk with a secret beside it. */
export interface Ground {
  readonly root: string
  readonly outside: string
  call(name: string, input: Json): Promise<Json>
}

export const SECRET = 'the secret beside the workspace'

export function ground(options: Partial<FileToolOptions> = {}): Ground {
  const base = mkdtempSync(join(tmpdir(), 'mandate-files-'))
  onTestFinished(() => rmSync(base, { recursive: true, force: true }))
  const [root, outside] = [join(base, 'ws'), join(base, 'outside')]
  mkdirSync(root)
  mkdirSync(outside)
  writeFileSync(join(outside, 'secret'), SECRET)
  writeFileSync(join(base, 'secret.txt'), SECRET)
  const tools = new Map(fileTools({ root, write: true, ...options }).map((tool): [string, Tool] => [tool.name, tool]))
  return { root, outside, call: (name, input) => callTool(tools.get(name)!, input) }
}

/** Calls a tool the way a run does: validated first. */
async function callTool(tool: Tool, input: Json): Promise<Json> {
  const checked = await tool.validate(input)
  if (!checked.valid) throw new Error(checked.issues.map(({ path, message }) => `${path}: ${message}`).join('; '))
  const context = { signal: new AbortController().signal } as ToolContext
  return (await tool.run(checked.value, context)) as Json
}
