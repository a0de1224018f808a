import vm from 'node:vm'
import { runScript } from './own-engine.ts'
import { type Body, separator, wrap } from './prelude.ts'

// Scripts know one time zone; the engine they are compared with must use the same.
process.env['TZ'] = 'UTC'

/** What an engine made of a program: the text of its value, or why it did not run. */
export interface Report {
  readonly text: string
  /** A clear refusal is no difference. */
  readonly isRefused: boolean
}

/** The real engine. */
async function runReal(bodies: readonly Body[]): Promise<Report> {
  const source = `(async () => { 'use strict'; ${wrap(bodies)} })()`
  try {
    const text: unknown = await new vm.Script(source).runInThisContext({ timeout: 20_000 })
    return { text: String(text), isRefused: false }
  } catch (error) {
    return { text: `engine: ${String(error)}`, isRefused: false }
  }
}

export interface Comparison {
  readonly real: string
  readonly own: string
  readonly isRefused: boolean
  readonly isSame: boolean
}

/** Runs a body in both engines. */
export async function compare(source: string, isAsync: boolean = /\bawait\b/.test(source)): Promise<Comparison> {
  const bodies = [{ source, isAsync }]
  // Ours first: a program that does not end is ended by its limits here, and by nothing in the real engine once it has awaited.
  const own = await runScript(wrap(bodies))
  if (own.isRefused) return { real: '', own: own.text, isRefused: true, isSame: false }
  const real = await runReal(bodies)
  // What neither engine reads is no difference.
  const isUnread = real.text.startsWith('engine: SyntaxError') && own.text.startsWith('SyntaxError')
  const isSame = isUnread || real.text === own.text
  return { real: real.text, own: own.text, isRefused: !isSame && (await isRefusedRunning(source)), isSame }
}

/** What is refused while it runs, with a message that says so: lists have items and nothing beside them. */
const REFUSALS =
  /Only objects take new properties|Items have whole numbers from 0 up|Only objects and lists lose properties|A key must be a text or a number|`lastIndex` takes a number/

async function isRefusedRunning(source: string): Promise<boolean> {
  return REFUSALS.test((await runScript(source)).text)
}

const NOTHING: Report = { text: '', isRefused: false }

/** The same for many bodies at once, which costs far less; those that do not agree together are compared alone. */
export async function compareAll(bodies: readonly Body[]): Promise<Comparison[]> {
  const own = await runScript(wrap(bodies))
  const real = own.isRefused ? NOTHING : await runReal(bodies)
  const [reals, owns] = [real.text.split(separator), own.text.split(separator)]
  const isWhole = reals.length === bodies.length && owns.length === bodies.length
  const compared: Comparison[] = []
  for (const [index, { source, isAsync }] of bodies.entries()) {
    const [one, other] = [reals[index] ?? '', owns[index] ?? '']
    if (isWhole && one === other) compared.push({ real: one, own: other, isRefused: false, isSame: true })
    else compared.push(await compare(source, isAsync))
  }
  return compared
}
