import { need } from '../command.ts'
import type { Command } from '../command.ts'

const USAGE = 'eval <file>|from-run <run>|list|show <id>'

export const evalCommand: Command = {
  async run(flags, words) {
    const word = need(words, 0, USAGE)
    // Loaded on demand, because it imports the test tools.
    const { evaluateFile, fromRun, listReports, showKept } = await import('./run-eval.ts')
    if (word === 'from-run') return fromRun(flags, need(words, 1, 'eval from-run <run>'))
    if (word === 'list') return listReports(flags)
    if (word === 'show') return showKept(flags, need(words, 1, 'eval show <id>'))
    return evaluateFile({ ...flags, noInput: true }, word)
  },
}
