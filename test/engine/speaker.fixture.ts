// A worker in a process of its own, whose model is asked again until somebody heard it while it spoke.
import { existsSync, readFileSync } from 'node:fs'
import { AgentService } from '../../src/agent/index.ts'
import { defineTool } from '../../src/tool/index.ts'
import type { AgentConfig } from '../../src/agent/index.ts'
import { dbosEngine } from '../../src/engine/index.ts'
import { scripted } from '../../src/model/index.ts'
import type { Model } from '../../src/model/index.ts'
import { openPostgres } from '../../src/store/postgres/index.ts'

const HEARD_MS = 1_000

/** The agent as all processes know it. Each call of its model says its number and waits a moment for the file to say it back; the one that was heard while it spoke is the last. */
export function speaker(go: string): AgentConfig {
  const model: Model = {
    ...scripted(['']),
    async *stream({ messages }) {
      const call = messages.filter(({ role }) => role === 'assistant').length + 1
      yield { type: 'text-delta', id: 't', text: `Call ${call}: ` }
      yield { type: 'text-delta', id: 't', text: `${'ü'.repeat(3_000)}. ` }
      if (await isHeard(go, call)) {
        yield { type: 'text-delta', id: 't', text: 'Done.' }
        yield { type: 'finish', reason: 'stop' }
      } else {
        yield { type: 'tool-call', toolCallId: `c${call}`, name: 'wait', input: { call } }
        yield { type: 'finish', reason: 'tool-calls' }
      }
    },
  }
  const wait = defineTool({ name: 'wait', risk: 'read', run: () => 'waited' })
  return { id: 'speaker', model, tools: [wait] }
}

async function isHeard(go: string, call: number): Promise<boolean> {
  const end = Date.now() + HEARD_MS
  while (Date.now() < end) {
    if (existsSync(go) && readFileSync(go, 'utf8') === String(call)) return true
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return false
}

if (process.argv[2] !== undefined && import.meta.filename === process.argv[1]) {
  const { url, go } = JSON.parse(process.argv[2]) as { readonly url: string; readonly go: string }
  const store = await openPostgres({ url })
  const service = new AgentService({
    store,
    engine: dbosEngine({ url, role: 'worker' }),
    agents: [speaker(go)],
  })
  await service.start()
  process.stdout.write('up\n')
}
