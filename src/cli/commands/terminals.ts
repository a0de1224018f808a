import type { AgentService } from '../../agent/index.ts'
import { MandateError } from '../../core/index.ts'
import type { Flags } from '../flags.ts'
import { withService } from '../host.ts'
import { findConfig, loadService } from '../load-module.ts'
import { loadHost } from '../program-files.ts'
import type { OpenedJournal } from '../store.ts'
import type { Command } from './command.ts'
import { findAgent, packSourceOf } from './runs.ts'
import type { Found } from './runs.ts'

export const replCommand: Command = {
  async run(flags, words) {
    // Loaded on demand, because it imports the cell runtime.
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
    const { loaded, agent } = await talkedTo(flags, word)
    // Loaded on demand, because it imports the conversations.
    const { ChatTerminal } = await import('../chat/chat-terminal.ts')
    const talk = async (service: AgentService, journal: OpenedJournal): Promise<number> => {
      const terminal = new ChatTerminal(flags, service, journal.database())
      await terminal.open(flags.session, agent)
      return terminal.run()
    }
    return withService(flags, loaded, talk, { turns: false })
  },
}

/** Returns the agent of ready packs, of a file, or of the configuration. */
async function talkedTo(flags: Flags, word: string | undefined): Promise<Found> {
  if (flags.packs.length > 0 && word !== undefined)
    throw new MandateError(
      'INPUT_INVALID',
      `--pack makes an agent of its own, and "${word}" is another. Leave out one of them. Messages are typed at the prompt.`,
    )
  if (flags.packs.length > 0) return loadService(packSourceOf(flags))
  return word === undefined ? configured() : findAgent(word)
}

async function configured(): Promise<Found> {
  const config = findConfig()
  if (config !== undefined) return loadService(config)
  throw new MandateError(
    'INPUT_INVALID',
    'There is no mandate.config.ts here. Name a file that exports an agent: mandate chat <file>',
  )
}
