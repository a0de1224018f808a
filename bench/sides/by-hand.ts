import { z } from 'zod'
import type { Add, PeerSide } from './side.ts'
import { DELTA, INSTRUCTIONS, TURNS } from './side.ts'

interface Call {
  readonly id: string
  readonly input: string
}

async function reply(messages: readonly { readonly role: string }[]): Promise<{ text: string } | { call: Call }> {
  const turn = messages.filter(({ role }) => role === 'tool').length
  if (turn >= TURNS) return { text: `done ${turn}` }
  return { call: { id: `c${turn}`, input: JSON.stringify({ a: turn, b: 1 }) } }
}

/** The baseline without a library: a loop, a schema, and an unchecked list of JSON lines. */
function make(add: Add): () => Promise<string> {
  const schema = z.object({ a: z.number(), b: z.number() })
  return async () => {
    const journal: string[] = []
    const messages: { role: string; content: unknown }[] = [{ role: 'system', content: INSTRUCTIONS }]
    messages.push({ role: 'user', content: 'go' })
    for (;;) {
      const said = await reply(messages)
      journal.push(JSON.stringify(said))
      if ('text' in said) return said.text
      const value = await add(schema.parse(JSON.parse(said.call.input)))
      journal.push(JSON.stringify(value))
      messages.push({ role: 'assistant', content: said.call }, { role: 'tool', content: JSON.stringify(value) })
    }
  }
}

async function* pieces(count: number): AsyncGenerator<string> {
  for (let index = 0; index < count; index++) yield DELTA
}

async function stream(deltas: number): Promise<number> {
  let count = 0
  for await (const piece of pieces(deltas)) count += piece === DELTA ? 1 : 0
  return count
}

export const side: PeerSide = { label: 'a loop by hand (no library, no gate, a list for a journal)', make, stream }
