import type { Json } from '../../core/index.ts'
import { readIntent } from '../../gate/index.ts'
import type { MatchedIntent } from '../../gate/index.ts'

/** What a program declares about each of the tools and agents that it calls. */
export type ProgramIntents = ReadonlyMap<string, MatchedIntent>

/**
 * Reads what a program declares. Unlike an intent in a reply, one covers every call of its tool: the program is fixed before it runs. What cannot be
 * read is reported by the gate, when that tool is called.
 */
export function programIntents(declared: readonly Json[]): ProgramIntents {
  const intents = new Map<string, MatchedIntent>()
  for (const one of declared) {
    const read = readIntent(one)
    if (!('problem' in read)) intents.set(read.toolName, { intent: read })
    else if (read.toolName !== undefined && !intents.has(read.toolName))
      intents.set(read.toolName, { intentProblem: read.problem })
  }
  return intents
}
