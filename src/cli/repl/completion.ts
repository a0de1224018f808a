import type { Completer } from 'node:readline/promises'

/** The words that can be completed in a cell. */
interface Completable {
  /** Variables and functions of the session. */
  readonly names: readonly string[]
  /** Signatures of the tools, by tool name. */
  readonly tools: ReadonlyMap<string, string>
  /** Commands of the terminal, with their colon. */
  readonly commands: readonly string[]
}

/**
 * Completes commands, names and tools. After `tools.search(` it shows the signature of the tool: two entries without a common prefix are listed without
 * changing the line. The second entry is a space, because readline ignores an empty one when it computes the common prefix.
 */
export function completerFor(known: () => Completable): Completer {
  return async (line) => {
    const { names, tools, commands } = known()
    if (/^\s*:\w*$/.test(line)) return matches(commands, line.trim())
    const [, called] = /tools\.([\w$]+)\($/.exec(line) ?? []
    const signature = called === undefined ? undefined : tools.get(called)
    if (signature !== undefined) return [[signature, ' '], '']
    const [, tool] = /tools\.([\w$]*)$/.exec(line) ?? []
    if (tool !== undefined) return matches([...tools.keys()], tool)
    const [word = ''] = /[\w$]+$/.exec(line) ?? []
    return word === '' ? [[], ''] : matches(names, word)
  }
}

function matches(candidates: readonly string[], word: string): [string[], string] {
  return [candidates.filter((candidate) => candidate.startsWith(word)).toSorted(), word]
}
