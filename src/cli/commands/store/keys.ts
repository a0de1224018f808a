import { EXIT } from '../../exit-codes.ts'
import { withJournal } from '../../host.ts'
import { note, print } from '../../output.ts'
import { checkKeyId, newKey } from '../../../store/sqlite/index.ts'
import type { Command } from '../command.ts'

export const keyCommand: Command = {
  async run(flags, [id = 'k1']) {
    checkKeyId(id, 'mandate key')
    const key = newKey()
    print(flags, { id, key }, () => `${id}:${key}`)
    note('Keep it apart from the store. Without it the store cannot be read, and it cannot be recovered.')
    return EXIT.ok
  },
}

export const rekeyCommand: Command = {
  run: (flags) =>
    withJournal(flags, async (journal) => {
      const report = await journal.rekey()
      print(
        flags,
        report,
        () => `${journal.path} now uses the key "${report.hostKey}" (${report.rewrapped} data keys rewrapped)`,
      )
      return EXIT.ok
    }),
}
