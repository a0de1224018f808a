import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MandateError } from 'mandate'
import type { Json } from 'mandate'
import { shellIsolation, shellTool } from 'mandate/connect'
import type { ShellOptions } from '../../src/connect/shell/shell-tool.ts'
import type { ToolContext } from 'mandate/tool'
import { readCorpus, readOwn } from '../corpora/read-corpus.ts'

export type Mode = 'required' | 'none'

/** Both ways to run commands, as far as this machine has them. */
export const MODES: readonly Mode[] = shellIsolation().isolation === 'bubblewrap' ? ['required', 'none'] : ['none']

export interface ShellCase {
  readonly id: string
  readonly category: string
  readonly input: { readonly [name: string]: Json }
  /** What is granted; the ordinary list when absent. */
  readonly allow?: readonly string[]
  /** Where it holds; in both when absent. */
  readonly isolation?: readonly Mode[]
  readonly expect: string
  readonly reason: string
}

export interface Result {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
  readonly isolation: string
  readonly stopped?: string
  readonly cut?: { readonly bytes: number; readonly sha256: string }
}

const given = readCorpus<ShellCase>('tools').filter(({ category }) => category === 'shell')
const own = readOwn<ShellCase>('tools').filter(({ category }) => category === 'shell')

export const SHELL_CASES: readonly ShellCase[] = [...given, ...own]

/** Cases that describe a situation in words; what they say is done by hand in `shell.test.ts`. */
export const BY_HAND: ReadonlySet<string> = new Set([
  'tool-shell-01',
  'tool-shell-55',
  'tool-shell-56',
  'tool-shell-58',
  'tool-shell-59',
])

const MAX_BYTES = 10_000
const FILE_BYTES = 200_000
const ORDINARY = ['ls', 'cat', 'yes', 'sleep', 'pwd', 'printenv', 'git log']
const REFUSALS: readonly string[] = ['DENIED', 'INPUT_INVALID', 'SCHEMA_INVALID']

export interface Ground {
  readonly root: string
  call(input: Json, signal?: AbortSignal): Promise<Result>
  end(): void
}

/** A workspace with the tool on it, which is called as a run would: validated first. */
export function shellGround(options: Partial<ShellOptions> = {}): Ground {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'mandate-shell-')))
  const end = (): void => rmSync(root, { recursive: true, force: true })
  try {
    const tool = shellTool({ root, allow: ORDINARY, timeoutMs: 5_000, isolation: MODES[0]!, ...options })
    return {
      root,
      end,
      async call(input, signal = new AbortController().signal) {
        const checked = await tool.validate(input)
        if (!checked.valid)
          throw new MandateError('SCHEMA_INVALID', checked.issues.map(({ message }) => message).join())
        return (await tool.run(checked.value, { signal } as ToolContext)) as Result
      },
    }
  } catch (error) {
    end()
    throw error
  }
}

/** A folder of programs that only say that they ran, so that every name can be granted on every machine. */
function standIns(names: readonly string[]): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'mandate-programs-')))
  for (const name of names) {
    writeFileSync(join(folder, name), '#!/bin/sh\necho ran > .ran\n')
    chmodSync(join(folder, name), 0o755)
  }
  return folder
}

type Outcome = { readonly result: Result; readonly ran: boolean } | { readonly code: string; readonly ran: boolean }

/** What became of a case under one list of grants. */
async function attempt(one: ShellCase, mode: Mode, allow: readonly string[] | undefined): Promise<Outcome> {
  const names = (allow ?? []).map((entry) => entry.split(' ')[0]!)
  const path = allow === undefined ? undefined : standIns(names)
  let place: Ground | undefined
  try {
    place = shellGround({
      maxBytes: MAX_BYTES,
      timeoutMs: 1_000,
      isolation: mode,
      bounds: { fileBytes: FILE_BYTES },
      ...(path === undefined || allow === undefined ? {} : { allow, path: [path] }),
    })
    mkdirSync(join(place.root, 'd'))
    const { stdin, ...input } = one.input
    if (stdin !== undefined && stdin !== 'never closed') throw new Error(`${one.id}: unknown stdin ${String(stdin)}`)
    const result = await place.call(input)
    return { result, ran: hasRun(place.root) }
  } catch (error) {
    if (!MandateError.isInstance(error)) throw error
    // A program that is refused when the list is made is refused.
    const code = place === undefined && error.code === 'CONFIG_INVALID' ? 'DENIED' : error.code
    return { code, ran: place !== undefined && hasRun(place.root) }
  } finally {
    place?.end()
    if (path !== undefined) rmSync(path, { recursive: true, force: true })
  }
}

function hasRun(root: string): boolean {
  return existsSync(join(root, '.ran')) || existsSync(join(root, 'd/.ran'))
}

/** The lists under which a case is tried: its own, or the ordinary one, and for refusals of the given corpus also one that has the very program. */
function listsFor(one: ShellCase): readonly (readonly string[] | undefined)[] {
  if (one.allow !== undefined) return [one.allow]
  const [name] = Array.isArray(one.input['argv']) ? one.input['argv'] : []
  const isProgram = typeof name === 'string' && /^[\w.+-]+$/.test(name) && !name.startsWith('-')
  return given.includes(one) && one.expect === 'deny' && isProgram ? [undefined, [name]] : [undefined]
}

const FIELDS = ['id', 'category', 'input', 'allow', 'isolation', 'expect', 'reason']

/** What a case states that does not hold; empty where all does. */
export async function shellFaults(one: ShellCase, mode: Mode): Promise<readonly string[]> {
  const stray = Object.keys(one).find((field) => !FIELDS.includes(field))
  if (stray !== undefined) throw new Error(`${one.id} has a field that is not run: ${stray}`)
  const faults: string[] = []
  for (const allow of listsFor(one)) {
    const outcome = await attempt(one, mode, allow)
    const fault = faultOf(one, mode, outcome)
    if (fault !== undefined) faults.push(`${one.id} (${mode}, ${allow?.join() ?? 'the ordinary list'}): ${fault}`)
  }
  return faults
}

function faultOf(one: ShellCase, mode: Mode, outcome: Outcome): string | undefined {
  const said = 'code' in outcome ? outcome.code : JSON.stringify(outcome.result).slice(0, 200)
  switch (one.expect) {
    case 'deny':
    case 'error':
    // A name is pinned to one file; a path is no name.
    case 'policy':
      return 'code' in outcome && REFUSALS.includes(outcome.code) && !outcome.ran ? undefined : said
    case 'bounded':
      return 'result' in outcome && isBounded(one, outcome.result) ? undefined : said
    case 'allow': {
      if (!('result' in outcome) || (one.allow !== undefined && !outcome.ran)) return said
      return outcome.result.isolation === (mode === 'none' ? 'none' : 'bubblewrap') ? undefined : said
    }
    default:
      throw new Error(`${one.id} expects "${one.expect}", which nothing here can show`)
  }
}

/** It ended: by itself where it can, by its limits where it cannot. */
function isBounded(one: ShellCase, { stdout, stopped, exitCode }: Result): boolean {
  if (stdout.length > MAX_BYTES) return false
  const [name] = one.input['argv'] as readonly string[]
  if (name === 'yes') return stopped?.includes(`more than ${MAX_BYTES} bytes`) === true
  if (name === 'sleep') return stopped?.includes('longer than 1000 ms') === true
  return name === 'cat' && stopped === undefined && exitCode === 0
}

/** The bytes of a file, 0 where there is none. */
export function sizeOf(path: string): number {
  return existsSync(path) ? statSync(path).size : 0
}
