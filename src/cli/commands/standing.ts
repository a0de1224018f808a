import { systemClock } from '../../core/index.ts'
import { Kernel } from '../../run/index.ts'
import type { RuleApproval } from '../../run/index.ts'
import { EXIT } from '../exit-codes.ts'
import { keysOf, withJournal } from '../host.ts'
import { moment, printList } from '../terminal/layout.ts'
import { clip, note, print } from '../output.ts'
import { typedApproval } from '../typed-ids.ts'
import { nowhere } from './answers.ts'
import { need } from './command.ts'
import { usageOf } from '../help/commands.ts'
import type { Command } from './command.ts'

export const approvalsCommand: Command = {
  run: (flags) =>
    withJournal(flags, async (journal) => {
      const kernel = new Kernel({ journal, engine: nowhere, ...keysOf(flags) })
      const found = await kernel.standingApprovals({ all: flags.all })
      const now = systemClock.now()
      printList(flags, found, { heads: HEADS, row: (one) => rowOf(one, now), none: NONE })
      return EXIT.ok
    }),
}

const NONE = 'No approval applies to all runs. Create one with: mandate approve <approval> --scope rule'

const HEADS = ['approval', 'state', 'covers', 'rule', 'for', 'by', 'ends']

function rowOf({ id, state, tool, input, rules, mind, by, expiresAt }: RuleApproval, now: number): string[] {
  const covered = `${tool}${input === undefined ? '' : ` ${clip(input, 40)}`}`
  return [id, state, covered, rules.join(', '), mind, by.id, moment(expiresAt, now)]
}

export const revokeCommand: Command = {
  run(flags, words) {
    const typed = need(words, 0, usageOf('revoke'))
    return withJournal(flags, async (journal) => {
      const id = await typedApproval(journal, typed)
      const kernel = new Kernel({ journal, engine: nowhere, ...keysOf(flags) })
      await kernel.revoke(id, words.slice(1).join(' ') || undefined)
      print(flags, { id, revoked: true }, () => '')
      note(`${id} no longer applies`)
      return EXIT.ok
    })
  },
}
