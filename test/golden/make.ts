/**
 * Makes the golden journals that are not there yet: `node test/golden/make.ts`.
 * One that is there is never written again: it stands for the journals that people have, which no later build may change or misread.
 */
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { exportRun, foldRun, foldSummary, memoryJournal } from '../../src/journal/index.ts'
import type { Entry, Journal, RunSummary } from '../../src/journal/index.ts'
import { foldView } from './fold-view.ts'
import type { FoldView } from './fold-view.ts'
import { GOLDEN_RUN, writeGoverned } from './governed-runs.ts'
import { writeRuns } from './kernel-runs.ts'
import { writeTeams } from './team-runs.ts'
import { SAMPLES, makeSample } from './samples.ts'

const folder = new URL('./v1/', import.meta.url)

/** What a later build must still read out of a golden journal. */
export function viewOf(lines: readonly string[]): FoldView {
  const entries = lines.map((line) => JSON.parse(line) as Entry)
  let summary: RunSummary | undefined
  for (const entry of entries) summary = foldSummary(summary, entry)
  return foldView(summary!, entries.some((entry) => entry.salt === null) ? undefined : foldRun(entries))
}

async function writeKernelRuns(write: (journal: Journal) => Promise<readonly string[]>): Promise<void> {
  const journal = memoryJournal()
  for (const run of await write(journal)) {
    const lines: string[] = []
    for await (const line of exportRun(journal, run)) lines.push(line)
    writeFileSync(new URL(`${run}.jsonl`, folder), `${lines.join('\n')}\n`)
  }
}

async function writeGovernedRun(): Promise<void> {
  const journal = memoryJournal()
  await writeGoverned(journal)
  const lines: string[] = []
  for await (const line of exportRun(journal, GOLDEN_RUN)) lines.push(line)
  writeFileSync(new URL(`${GOLDEN_RUN}.jsonl`, folder), `${lines.join('\n')}\n`)
}

async function main(): Promise<void> {
  for (const name of Object.keys(SAMPLES)) {
    const journal = new URL(`${name}.jsonl`, folder)
    if (!existsSync(journal)) writeFileSync(journal, `${(await makeSample(name)).join('\n')}\n`)
  }
  if (!existsSync(new URL('kernel-clerk.jsonl', folder))) await writeKernelRuns(writeRuns)
  if (!existsSync(new URL('team-desk.jsonl', folder))) await writeKernelRuns(writeTeams)
  if (!existsSync(new URL(`${GOLDEN_RUN}.jsonl`, folder))) await writeGovernedRun()
  // Also of journals that came from elsewhere, such as a kernel: put the exported lines there and run this.
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.jsonl'))) {
    const view = new URL(file.replace('.jsonl', '.fold.json'), folder)
    if (existsSync(view)) continue
    const lines = readFileSync(new URL(file, folder), 'utf8').trimEnd().split('\n')
    writeFileSync(view, `${JSON.stringify(viewOf(lines), null, 2)}\n`)
    process.stdout.write(`made the fold of ${file}\n`)
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main()
