import { Kernel } from '../../run/index.ts'
import type { RuleApproval } from '../../run/index.ts'
import { EXIT } from '../exit-codes.ts'
import { keysOf, withJournal } from '../host.ts'
import { clip, note, print, table } from '../output.ts'
import { nowhere } from './answers.ts'
import { need } from './command.ts'
import { usageOf } from '../help/commands.ts'
import type { Command } from './command.ts'

export const approvalsCommand: Command = {
  run: (flags) =>
    withJournal(flags, async (journal) => {
      const kernel = new Kernel({ journal, engine: nowhere, ...keysOf(flags) })
      const found = await kernel.standingApprovals({ all: flags.all })
      print(flags, found, () => (found.length === 0 ? NONE : table(found.map(lineOf))))
      return EXIT.ok
    }),
}

const NONE = 'No approval holds for all runs. Give one with: mandate approve <approval> --scope rule'

function lineOf({ id, state, tool, input, rules, mind, by, expiresAt }: RuleApproval): string[] {
  const covered = `${tool}${input === undefined ? '' : ` ${clip(input, 40)}`}`
  return [id, state, covered, rules.join(', '), mind, by.id, `until ${new Date(expiresAt).toISOString()}`]
}

export const revokeCommand: Command = {
  run(flags, words) {
    const id = need(words, 0, usageOf('revoke'))
    return withJournal(flags, async (journal) => {
      const kernel = new Kernel({ journal, engine: nowhere, ...keysOf(flags) })
      await kernel.revoke(id, words.slice(1).join(' ') || undefined)
      note(`${id} lifts nothing any more`)
      return EXIT.ok
    })
  },
}
