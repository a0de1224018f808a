import { defineTool } from 'mandate'
import type { AgentConfig } from 'mandate'
import { scripted } from 'mandate/model'
import { FORMATTED } from './planted.ts'

const leak = defineTool({
  name: 'leak',
  risk: 'read',
  inputSchema: { type: 'object' },
  run() {
    if (process.env['HOW'] === 'throw') throw new Error(`401 for ${FORMATTED}`, { cause: new Error(FORMATTED) })
    if (process.env['HOW'] === 'crash') {
      setTimeout(() => {
        throw new Error(`a crash with ${FORMATTED}`, { cause: new Error(FORMATTED) })
      }, 0)
      return new Promise(() => {})
    }
    return FORMATTED
  },
})

const agent: AgentConfig = {
  id: 'leaker',
  model: scripted([
    { text: `I use ${FORMATTED} now.`, toolCalls: [{ name: 'leak', input: { note: FORMATTED } }] },
    `Done with ${FORMATTED}.`,
  ]),
  tools: [leak],
}
export default agent
