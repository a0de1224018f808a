import type { AgentService } from '../../agent/index.ts'
import { MandateError } from '../../core/index.ts'
import { withService } from '../host.ts'
import { findConfig, loadService } from '../load-module.ts'
import { loadHost } from '../program-files.ts'
import type { OpenedJournal } from '../store.ts'
import type { Command } from './command.ts'
import { findAgent } from './runs.ts'

export const replCommand: Command = {
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

export const chatCommand: Command = {
  async run(flags, words) {
    const [word] = words
    const { loaded, agent } = word === undefined ? await configured() : await findAgent(word)
    // Conversations are loaded only by those who have one.
    const { ChatTerminal } = await import('../chat/chat-terminal.ts')
    const talk = async (service: AgentService, journal: OpenedJournal): Promise<number> => {
      const terminal = new ChatTerminal(flags, service, journal.database())
      await terminal.open(flags.session, agent)
      return terminal.run()
    }
    return withService(flags, loaded, talk, { turns: false })
  },
}

async function configured(): Promise<Awaited<ReturnType<typeof findAgent>>> {
  const config = findConfig()
  if (config !== undefined) return loadService(config)
  throw new MandateError(
    'INPUT_INVALID',
    'There is no mandate.config.ts here. Name a file that exports an agent: mandate chat <file>',
  )
}
