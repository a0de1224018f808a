/** One script for the models of all libraries: which reply is due follows from who asks and how many results of tools the conversation has. */
export type Reply = { readonly tool: string; readonly input: object } | { readonly text: string }

export interface Script {
  /** The names under which the library offers the sub-agent, if not `ask_expert`. */
  readonly expert?: string
  /** The input that its sub-agents take. */
  readonly expertInput?: object
}

export const usage: { readonly inputTokens: number; readonly outputTokens: number } = {
  inputTokens: 1_000,
  outputTokens: process.env['EXPENSIVE'] === '1' ? 300_000 : 100,
}

export function replyTo(instructions: string, results: number, script: Script = {}): Reply {
  process.stderr.write('model call\n')
  if (instructions.includes('Quote the rules'))
    return results === 0
      ? { tool: 'read_rules', input: { topic: 'refunds' } }
      : { text: 'Unopened goods are refunded.' }
  const { expert = 'ask_expert', expertInput = { prompt: 'May A-17 be refunded?' } } = script
  const calls = [
    { tool: expert, input: expertInput },
    { tool: 'find_order', input: { id: 'A-17' } },
    { tool: 'refund', input: { order: 'A-17', amount: 80 } },
  ]
  const call = calls[results]
  if (call !== undefined) return call
  if (process.env['DIE'] === '1') process.kill(process.pid, 'SIGKILL')
  const isRefused = process.env['REFUSED'] === '1'
  return {
    text: JSON.stringify({
      decision: isRefused ? 'refused' : 'refunded',
      amount: isRefused ? 0 : 80,
      reason: 'The goods are unopened.',
    }),
  }
}

/** A text in pieces, as models send it. */
export const piecesOf = (text: string): readonly string[] => text.match(/.{1,12}/gs) ?? []
