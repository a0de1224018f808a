import { AgentService } from '../../src/agent/index.ts'
import { defineTool } from '../../src/tool/index.ts'
import { type VaultKeys, secretRedactor } from '../../src/redact/index.ts'
import type { AgentConfig } from '../../src/agent/index.ts'
import type { Json } from '../../src/core/index.ts'
import type { Journal } from '../../src/journal/index.ts'
import { scripted, textOf } from '../../src/model/index.ts'
import type { ModelRequest, ScriptedStep } from '../../src/model/index.ts'

/**
 * An agent with a vault, handles and declared intents, behind a golden journal of its own. Later builds must replay and go on with that journal, so
 * nothing here may change once it is committed.
 */
export const GOLDEN_KEY: VaultKeys = { current: 'golden', keys: { golden: new Uint8Array(32).fill(71) } }
export const GOLDEN_RUN = 'governed-warden'
const SECRET = ['ghp', '_', 'q7Lw2MxZ9tRv4YbK1sNcD8eHfGuJo3iPaT6U'].join('')

const intent = (toolName: string, riskLevel: string): string =>
  `<intent>${JSON.stringify({ toolName, purpose: 'the task', expectedOutcome: 'an answer', riskLevel })}</intent>`

/** What the model was shown in the place of the address or the key. */
const shown = ({ messages }: ModelRequest, kind: string): string =>
  new RegExp(`\\[${kind}:[^\\]]+\\]`, 'u').exec(messages.map(textOf).join('\n'))![0]

const say = (name: string, riskLevel: string, input: (request: ModelRequest) => Json): ScriptedStep => (request) => {
  return { text: `On it. ${intent(name, riskLevel)}`, toolCalls: [{ name, input: input(request) }] }
}

const inputSchema = { type: 'object' }

/** What really happened is in `done`. */
export function governedService(journal: Journal, done: Json[], vault: VaultKeys | undefined): AgentService {
  const run = (input: Json): string => (done.push(input), 'ok')
  const warden: AgentConfig = {
    id: 'warden',
    instructions: 'You do as you are told.',
    model: scripted(
      [
        say('read_page', 'read', () => ({ url: 'https://shop.example' })),
        say('send_email', 'write', (request) => ({ to: shown(request, 'pii'), body: { $ref: 'r1' } })),
        say('call_api', 'write', (request) => ({ key: shown(request, 'secret') })),
        'It says {"$ref": "r1"}',
      ],
      { name: 'warden' },
    ),
    tools: [
      defineTool({ name: 'read_page', risk: 'read', labels: ['untrusted:web'], inputSchema, run: () => 'the page' }),
      defineTool({ name: 'send_email', risk: 'write', reveals: ['pii:email'], inputSchema, run }),
      defineTool({ name: 'call_api', risk: 'write', inputSchema, run }),
    ],
    toolResults: 'handles',
    mandate: { intentRequired: true, flow: [{ id: 'to', sink: 'send_email', path: '/to', forbid: ['untrusted:*'] }] },
  }
  return new AgentService({
    journal,
    vault,
    redactor: secretRedactor({ pii: ['email'] }),
    agents: [warden],
    deterministic: { seed: 'golden' },
  })
}

/** Writes the run; its journal is committed once and never made again. */
export async function writeGoverned(journal: Journal, done: Json[] = []): Promise<void> {
  const service = governedService(journal, done, GOLDEN_KEY)
  await service.run('warden', `Mail the page to ada@example.org, then call with ${SECRET}.`, { runId: GOLDEN_RUN })
  const [request] = await service.approvals(GOLDEN_RUN)
  await service.approve(request!.id)
  await service.resume(GOLDEN_RUN)
  await service.stop()
}

export const GOLDEN_DONE: readonly Json[] = [{ to: 'ada@example.org', body: 'the page' }, { key: SECRET }]
