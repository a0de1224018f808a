import { readFileSync, readdirSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import vm from 'node:vm'
import { Eval } from '../../src/vm/script/eval.ts'
import { tools } from './world.ts'

// Scripts know one time zone; the engine they are compared with must use the same.
process.env['TZ'] = 'UTC'

/** A piece of code as a model writes it when it acts by code. */
export interface Cell {
  readonly category: string
  readonly name: string
  readonly source: string
}

const folder = new URL('corpus/', import.meta.url)

/** The cells, by category. */
export function readCells(): Cell[] {
  return readdirSync(folder).flatMap((file) =>
    readFileSync(new URL(file, folder), 'utf8')
      .trim()
      .split('\n')
      .map((line) => ({ category: file.replace('.jsonl', ''), ...(JSON.parse(line) as Omit<Cell, 'category'>) })),
  )
}

export type Verdict = 'equal' | 'refused' | 'different'

export interface Comparison {
  readonly verdict: Verdict
  readonly own: string
  readonly real: string
}

/** A cell that is one function is called, as a code mode does. */
const WHOLE = /^async (?:function main\(\)|\(\) =>)[^]*\}$/

function asFunction(source: string): string {
  const isWhole = WHOLE.test(source)
  const body = isWhole ? `return (${source})()` : source
  return stripTypeScriptTypes(`(async (tools) => { 'use strict'; ${body}\n})`, { mode: 'strip' })
}

async function runReal({ source }: Cell): Promise<string> {
  const given = Object.fromEntries(
    Object.entries(tools).map(([name, tool]) => [name, async (input: never) => structuredClone(tool(input))]),
  )
  try {
    const run = new vm.Script(asFunction(source)).runInThisContext() as (given: unknown) => Promise<unknown>
    return shown(await run(given))
  } catch (error) {
    return `throws ${(error as Error).name}`
  }
}

function shown(value: unknown): string {
  return JSON.stringify(value) ?? 'undefined'
}

/** Runs a cell in both engines. What is refused is refused before or while it runs, with a message. */
export async function compareCell(cell: Cell): Promise<Comparison> {
  const { result, error } = await Eval(cell.source, { tools: tools as never, limits: { fuel: 20_000 } })
  if ((error?.info as { kind?: string } | undefined)?.kind === 'refused')
    return { verdict: 'refused', own: error!.message, real: '' }
  const own = error === undefined ? shown(result) : `throws ${error.name ?? error.message}`
  const real = await runReal(cell)
  return { verdict: own === real ? 'equal' : 'different', own, real }
}
