import type { Completer } from 'node:readline/promises'

/** What can be completed in a cell. */
interface Completable {
  /** Variables and functions of the session. */
  readonly names: readonly string[]
  /** Signatures of the tools, by their names. */
  readonly tools: ReadonlyMap<string, string>
  /** Commands of the terminal, with their colon. */
  readonly commands: readonly string[]
}

/**
 * Completes commands, names and tools. Behind `tools.search(` it shows how the tool is called: two entries without a common beginning are listed and
 * change nothing in the line. The second one is a space, because readline leaves an empty one out of the beginning that it inserts.
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
