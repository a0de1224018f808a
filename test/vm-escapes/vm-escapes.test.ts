import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { readCorpus, readOwn } from '../corpora/read-corpus.ts'
import { isSweep, shareOf } from '../rotation.ts'
import type { EscapeCase } from './corpus.ts'

const run = promisify(execFile)
const child = fileURLToPath(new URL('child.ts', import.meta.url))
/** A process takes longer to start than most cases take together. */
const perChild = 200

interface Line {
  readonly id: string
  readonly started?: boolean
  readonly problem?: string
}

/** Runs some cases in a process of their own, with a small heap; a case that ends the process is named. */
async function runCases(ids: readonly string[]): Promise<string[]> {
  const flags = ['--conditions=mandate-source', '--disable-warning=ExperimentalWarning', '--max-old-space-size=256']
  let text: string
  let death = ''
  try {
    const { stdout } = await run(process.execPath, [...flags, child, ...ids], { maxBuffer: 1e8, timeout: 200_000 })
    text = stdout
  } catch (error) {
    text = (error as { stdout?: string }).stdout ?? ''
    death = String(error).slice(0, 300)
  }
  const lines = text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line)
  const problems = lines.filter(({ problem }) => problem !== undefined).map(({ id, problem }) => `${id}: ${problem}`)
  if (death !== '') problems.push(`the process ended at ${lines.at(-1)?.id ?? 'its start'}: ${death}`)
  const finished = new Set(lines.filter(({ started }) => started !== true).map(({ id }) => id))
  for (const id of ids) if (!finished.has(id)) problems.push(`${id}: did not end`)
  return problems
}

describe('hostile programs', () => {
  const ids = [...readCorpus<EscapeCase>('escapes'), ...readOwn<EscapeCase>('escapes')].map(({ id }) => id)
  const share = shareOf(ids, 5)
  for (let from = 0; from < share.length; from += perChild) {
    const some = share.slice(from, from + perChild)
    test(
      `${some[0]} to ${some.at(-1)} end as they say and leave the host as it was`,
      { timeout: 240_000 },
      async () => {
        expect((await runCases(some)).join('\n')).toBe('')
      },
    )
  }

  test.skipIf(isSweep)('the corpus is whole', () => {
    expect(ids.length).toBeGreaterThanOrEqual(342)
    expect(new Set(ids).size).toBe(ids.length)
  })
})
