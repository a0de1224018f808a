import vm from 'node:vm'
import { runScript } from './own-engine.ts'
import { wrap } from './prelude.ts'

// Scripts know one time zone; the engine they are compared with must use the same.
process.env['TZ'] = 'UTC'

/** What one engine made of a program: the text of value or error and output, or why it did not run. */
export interface Report {
  readonly text: string
  /** A clear refusal is no difference. */
  readonly isRefused: boolean
}

/** The real engine. */
export async function runReal(body: string, isAsync: boolean): Promise<Report> {
  const source = `(async () => { 'use strict'; ${wrap(body, isAsync)} })()`
  try {
    const text: unknown = await new vm.Script(source).runInThisContext({ timeout: 5_000 })
    return { text: String(text), isRefused: false }
  } catch (error) {
    return { text: `engine: ${String(error)}`, isRefused: false }
  }
}

/** Our own. */
export async function runOwn(body: string, isAsync: boolean): Promise<Report> {
  return runScript(wrap(body, isAsync))
}

/** Both, and whether they agree. */
export async function compare(body: string, isAsync: boolean = /\bawait\b/.test(body)): Promise<Comparison> {
  const real = await runReal(body, isAsync)
  const own = await runOwn(body, isAsync)
  return { real: real.text, own: own.text, isRefused: own.isRefused, isSame: real.text === own.text }
}

export interface Comparison {
  readonly real: string
  readonly own: string
  readonly isRefused: boolean
  readonly isSame: boolean
}
