import { existsSync, readFileSync } from 'node:fs'
import { isAbsolute, relative, resolve } from 'node:path'
import { MandateError, messageOf } from '../core/index.ts'
import type { JsonObject } from '../core/index.ts'
import { findConfig, loadService } from './load-module.ts'
import type { Loaded } from './load-module.ts'

/** Syntax that a module has and a script cannot have. */
const MODULE = /^\s*(?:export|import)\b|\bmodule\.exports\b/m

/** Whether a file is a program rather than a module that exports agents: JSON, or a script without imports and exports. */
export function isProgramFile(file: string): boolean {
  if (file.endsWith('.json')) return true
  if (!/\.(?:js|mjs|ts)$/.test(file) || !existsSync(file)) return false
  return !MODULE.test(readFileSync(file, 'utf8'))
}

interface ProgramFile {
  readonly program: JsonObject
  /** The path of the file as the journal of a run stores it. */
  readonly source: string
}

/** Loads a program from a file. */
export async function loadProgram(file: string): Promise<ProgramFile> {
  const path = resolve(file)
  if (!existsSync(path))
    throw new MandateError('CONFIG_INVALID', `There is no file ${file}. Give the path of a program or a script.`)
  const program = await readFile(file, path)
  const below = relative(process.cwd(), path)
  const source = below.startsWith('..') || isAbsolute(below) ? path : below
  return { program, source }
}

/** Loads the host of a program: the tools, models and mandate of a file or of the project's configuration. */
export async function loadHost(file: string | undefined): Promise<Loaded> {
  const config = file ?? findConfig()
  return config === undefined ? {} : (await loadService(config)).loaded
}

async function readFile(file: string, path: string): Promise<JsonObject> {
  const text = readFileSync(path, 'utf8')
  if (!file.endsWith('.json')) {
    // Loaded on demand, because it imports the VM.
    const { script } = await import('../vm/index.ts')
    return script(text) as unknown as JsonObject
  }
  try {
    const value = JSON.parse(text) as JsonObject | null
    if (value?.['op'] === 'seq' && Array.isArray(value['steps'])) return value
  } catch (cause) {
    throw new MandateError('CONFIG_INVALID', `${file} cannot be loaded: ${messageOf(cause)}`, { cause })
  }
  throw new MandateError(
    'CONFIG_INVALID',
    `${file} cannot be loaded: a program is { "mandate": 1, "op": "seq", "steps": [...] }.`,
  )
}
