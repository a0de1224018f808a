import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { LISTED_ENV, REPORT_ENV } from './mutation.ts'
import type { Mutation } from './mutation.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

/** What one test file came to under one mutation, or that the mutated source was loaded. */
export interface ModuleReport {
  readonly id: string
  readonly applied?: boolean
  readonly failed?: readonly string[]
  readonly passed?: number
  readonly messages?: readonly string[]
  readonly unread?: readonly string[]
}

/** How the tests of a row ended with its guard off. */
export interface Trial {
  readonly failed: readonly string[]
  readonly passed: number
  /** Why this shows nothing, although something may have failed: the source did not load, no test ran. */
  readonly problem?: string | undefined
}

/** Runs the tests of some rows in a process of their own, each row with its guard switched off. */
export async function runTrials(rows: readonly Mutation[]): Promise<ReadonlyMap<string, Trial>> {
  const folder = mkdtempSync(join(tmpdir(), 'mandate-switch-'))
  const output = join(folder, 'report.jsonl')
  try {
    const said = await vitest(rows, output)
    const lines = existsSync(output) ? readFileSync(output, 'utf8').trim().split('\n') : []
    const reports = lines.map((line) => JSON.parse(line) as ModuleReport)
    return new Map(
      rows.map((row) => {
        const own = reports.filter(({ id }) => id === row.id)
        return [row.id, own.length === 0 ? { failed: [], passed: 0, problem: `no report: ${said}` } : trialOf(own)]
      }),
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A guard that is off can leave a program running for ever: a process that takes too long is ended, and its rows have no report. */
const TIMEOUT_MS = 100_000
const TIMEOUT_PER_ROW_MS = 15_000

function vitest(rows: readonly Mutation[], output: string): Promise<string> {
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--config', here('switched.config.ts'), '--root', root]
  // What vitest tells its own workers is not for another run of it.
  const outer = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(VITEST|TEST$|DEV$|PROD$|SSR$|MODE$|BASE_URL$)/.test(name)),
  )
  const options = {
    cwd: root,
    timeout: TIMEOUT_MS + rows.length * TIMEOUT_PER_ROW_MS,
    maxBuffer: 1e8,
    env: { ...outer, [LISTED_ENV]: rows.map(({ id }) => id).join(','), [REPORT_ENV]: output },
  }
  const flags = ['--conditions=mandate-source', '--disable-warning=ExperimentalWarning']
  return new Promise((resolve) => {
    execFile(process.execPath, [...flags, ...args], options, (_, out, err) =>
      resolve(`${out}\n${err}`.replaceAll(/\s+/g, ' ').slice(-600)),
    )
  })
}

/** What is written when a source cannot be loaded, which would fail every test whatever it is about. */
const NOT_AN_ASSERTION = /^(?:Syntax|Reference)Error|Transform failed|Cannot find module|is not exported/

function trialOf(reports: readonly ModuleReport[]): Trial {
  const failed = reports.flatMap((one) => one.failed ?? [])
  const passed = reports.reduce((sum, one) => sum + (one.passed ?? 0), 0)
  const unread = reports.flatMap((one) => one.unread ?? [])[0]
  const odd = reports.flatMap((one) => one.messages ?? []).find((text) => NOT_AN_ASSERTION.test(text))
  const ends: readonly [boolean, string][] = [
    [!reports.some((one) => one.applied === true), 'the source was never loaded, so nothing was switched off'],
    [unread !== undefined, `a test file did not load: ${unread?.slice(0, 300)}`],
    [failed.length + passed === 0, 'no test ran'],
    [odd !== undefined, `this is no failed expectation: ${odd?.slice(0, 300)}`],
  ]
  return { failed, passed, problem: ends.find(([holds]) => holds)?.[1] }
}

/** One line of the matrix. */
export function lineOf({ id, tests, pattern }: Mutation, { failed, passed, problem }: Trial): string {
  const where = `${tests.join(' ')}${pattern === undefined ? '' : ` -t '${pattern}'`}`
  const count = `${failed.length} of ${failed.length + passed} fail`
  return `${id.padEnd(36)} ${count.padEnd(20)} ${where}${problem === undefined ? '' : `  PROBLEM: ${problem}`}`
}

export function isNoticed({ failed, problem }: Trial): boolean {
  return failed.length > 0 && problem === undefined
}
