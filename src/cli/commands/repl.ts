import { withService } from '../host.ts'
import { loadHost } from '../program-files.ts'
import type { Command } from './command.ts'

export const replCommand: Command = {
  usage: 'repl [session]',
  about: 'Evaluates cells of code over variables that stay; :help shows its commands.',
  async run(flags, words) {
    // The machine for cells is loaded only by those who evaluate some.
    const { ReplTerminal } = await import('../repl/repl-terminal.ts')
    const loaded = await loadHost(flags.file)
    return withService(flags, loaded, async (service) => {
      const terminal = new ReplTerminal(flags, service, loaded)
      await terminal.open(words[0])
      return terminal.run()
    })
  },
}
