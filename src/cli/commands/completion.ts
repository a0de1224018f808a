import { existsSync } from 'node:fs'
import { MandateError } from '../../core/index.ts'
import { candidates } from '../completion/candidates.ts'
import type { StoredIds } from '../completion/candidates.ts'
import { SHELL_SCRIPTS } from '../completion/scripts.ts'
import { EXIT } from '../exit-codes.ts'
import type { Flags } from '../flags.ts'
import { usageOf } from '../help/commands.ts'
import { print } from '../output.ts'
import type { Command } from './command.ts'

export const completionCommand: Command = {
  async run(flags, words) {
    const [verb = '', ...typed] = words
    if (verb === 'words') return printWords(flags, typed)
    // Avoids the imports of other commands, which load the agent code: this command runs at every press of the Tab key.
    const script = Object.hasOwn(SHELL_SCRIPTS, verb) ? SHELL_SCRIPTS[verb]! : undefined
    if (script === undefined)
      throw new MandateError(
        'INPUT_INVALID',
        `${verb === '' ? 'The shell is missing' : `There is no completion for "${verb}"`}. Use: mandate ${usageOf('completion')}`,
      )
    print(flags, { shell: verb, script }, () => script)
    return EXIT.ok
  },
}

async function printWords(flags: Flags, typed: readonly string[]): Promise<number> {
  const at = Math.max(typed.lastIndexOf('--dir'), typed.lastIndexOf('--store'))
  const found = await candidates(typed, storedIds({ ...flags, dir: at === -1 ? flags.dir : typed[at + 1] }))
  print(flags, found, () => found.map(({ word, about }) => `${word}\t${about}`).join('\n'))
  return EXIT.ok
}

/** Maximum number of ids; more do not fit on a screen. */
const IDS_MAX = 100

/** Reads ids of the store. A completion creates no store and fails silently, so that it does not disturb the typed line. */
function storedIds(flags: Flags): StoredIds {
  const dir = flags.dir ?? process.env['MANDATE_DIR'] ?? '.mandate'
  const isThere = dir.includes('://') || existsSync(dir)
  return {
    async runs(prefix) {
      const { storedRuns } = await import('../completion/stored-ids.ts')
      return isThere ? storedRuns(flags, prefix, IDS_MAX).catch(() => []) : []
    },
    async approvals() {
      const { storedApprovals } = await import('../completion/stored-ids.ts')
      return isThere ? storedApprovals(flags, IDS_MAX).catch(() => []) : []
    },
  }
}
