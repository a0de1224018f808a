import type { Json } from '../../core/index.ts'
import { readIntent } from '../../gate/index.ts'
import type { MatchedIntent } from '../../gate/index.ts'

/** Declared intents by tool or agent name. */
export type ProgramIntents = ReadonlyMap<string, MatchedIntent>

/**
 * Parses the intents of a program. Unlike an intent in a model reply, one covers every call of its tool, because the program is fixed. An intent that
 * cannot be parsed is reported by the gate when the tool is called.
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
