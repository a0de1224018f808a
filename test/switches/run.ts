import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { SWITCHED_IN_TESTS } from './connect-mutations.ts'
import type { Mutation } from './mutation.ts'
import { MUTATIONS } from './mutations.ts'
import { isNoticed, lineOf, runTrials } from './trial.ts'

const path = fileURLToPath(new URL('matrix.txt', import.meta.url))
const wanted = new Set(process.argv.slice(2))
const rows = MUTATIONS.filter(({ id }) => wanted.size === 0 || [...wanted].some((name) => id.startsWith(name)))

/** Lines of rows that are not tried now stay as they are. */
const lines = new Map(
  readLines()
    .filter((line) => MUTATIONS.some(({ id }) => line.startsWith(`${id} `)))
    .map((line) => [line.slice(0, line.indexOf(' ')), line]),
)

const BATCH = 20
let unnoticed = 0
for (let from = 0; from < rows.length; from += BATCH) await tryRows(rows.slice(from, from + BATCH))
process.stdout.write(`${rows.length} rows, ${unnoticed} whose absence goes unnoticed\n`)
process.exitCode = unnoticed === 0 ? 0 : 1

async function tryRows(batch: readonly Mutation[]): Promise<void> {
  const trials = await runTrials(batch)
  for (const row of batch) {
    const trial = trials.get(row.id)!
    const line = lineOf(row, trial)
    process.stdout.write(`${line}\n`)
    if (!isNoticed(trial)) unnoticed += 1
    lines.set(row.id, line)
  }
  write()
}

function readLines(): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n')
  } catch {
    return []
  }
}

function write(): void {
  const kept = MUTATIONS.flatMap(({ id }) => lines.get(id) ?? [])
  const head = [
    'Every guard, limit and check, switched off alone, and how many of the named tests fail then.',
    'Written by: node --conditions=mandate-source test/switches/run.ts',
    `${kept.length} rows`,
    '',
  ]
  const others = Object.entries(SWITCHED_IN_TESTS).map(
    ([check, file]) => `${`connect.${check}`.padEnd(36)} ${'switched in the test'.padEnd(20)} ${file}`,
  )
  writeFileSync(path, `${[...head, ...kept, '', ...others].join('\n')}\n`)
}
