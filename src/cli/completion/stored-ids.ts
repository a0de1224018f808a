import { Kernel } from '../../run/index.ts'
import type { Candidate } from './candidates.ts'
import type { Flags } from '../flags.ts'
import { withJournal } from '../host.ts'
import { clip } from '../output.ts'
import { nowhere } from '../commands/answers.ts'

/** Returns the newest runs whose ids have a prefix, with their name and state. */
export function storedRuns(flags: Flags, runPrefix: string, limit: number): Promise<readonly Candidate[]> {
  return withJournal(flags, async (journal) => {
    const runs = await new Kernel({ journal, engine: nowhere }).list({ runPrefix, limit })
    return runs.map(({ run, name, state }) => ({ word: run, about: `${name}, ${state}` }))
  })
}

/** Returns the open requests, oldest first. */
export function storedApprovals(flags: Flags, limit: number): Promise<readonly Candidate[]> {
  return withJournal(flags, async (journal) => {
    const { requests } = await new Kernel({ journal, engine: nowhere }).inbox({ limit })
    return requests.map(({ id, name, input }) => ({ word: id, about: `${name} ${clip(input, 40)}` }))
  })
}
