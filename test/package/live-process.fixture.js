// Runs in a user's project with the built package. Once every way of ending has begun, the files of the package are removed, and each
// of them must still come to its end: everything the kernel exists for is in memory by then.
import { rmSync } from 'node:fs'
import { Agent, defineTool } from 'mandate'
import { memoryJournal } from 'mandate/journal'
import { scripted } from 'mandate/model'

const journal = memoryJournal()
let release
const held = new Promise((resolve) => (release = resolve))
const schema = { type: 'object', properties: { to: { type: 'string', pattern: '^[a-z]+$' } }, required: ['to'] }
const tool = (name, run, facts = {}) => defineTool({ name, inputSchema: schema, risk: 'write', run, ...facts })
const tools = [
  tool('wait', ({ to }, { signal }) =>
    Promise.race([held, new Promise((_, no) => signal.addEventListener('abort', () => no(signal.reason)))]).then(
      () => to,
    ),
  ),
  tool('mail', ({ to }) => `sent to ${to}`, { needsApproval: true }),
  tool('shell', () => 'ran'),
]
const call = (name, to = 'ana') => scripted([{ toolCalls: [{ name, input: { to } }] }, 'Done.'])
const agent = (id, model, options = {}) =>
  new Agent({ id, model, tools, mandate: { deny: ['shell'] } }, { journal, ...options })

const stopped = agent('stopped', call('wait'))
const asked = agent('asked', call('mail'))
const waiting = stopped.run('Go.', { runId: 'stopped' })
const first = await asked.run('Go.', { runId: 'asked' })
await new Promise((resolve) => setTimeout(resolve, 50))

async function refusal(run) {
  for await (const { type, data } of journal.read(run)) if (type === 'effect-decide') return data.decision.rule
}

rmSync(new URL('node_modules/mandate', import.meta.url), { recursive: true })

const denied = await agent('denied', call('shell')).run('Go.', { runId: 'denied' })
const invalid = await agent('invalid', call('wait', 'NOT LOWER')).run('Go.', { runId: 'invalid' })
await asked.service.approve(first.pending[0].approvalId)
const approved = await asked.service.resume('asked')
await stopped.stop()
const suspended = await waiting
release()
const again = agent('stopped', call('wait'))
const doubt = await again.service.resume('stopped')
await again.service.settle(doubt.pending[0].approvalId, 'not-happened')
const recovered = await again.service.resume('stopped')
const cancelled = agent('cancelled', call('mail'))
await cancelled.run('Go.', { runId: 'cancelled' })
await cancelled.service.cancel('cancelled', 'enough')
console.log(
  JSON.stringify({
    denied: [denied.status, await refusal('denied')],
    invalid: [invalid.status, await refusal('invalid')],
    approved: [approved.status, approved.actions[0].output],
    suspended: [suspended.status, suspended.suspendReason],
    doubt: [doubt.status, doubt.suspendReason],
    recovered: [recovered.status, recovered.actions[0].output],
    cancelled: (await cancelled.service.resume('cancelled')).status,
  }),
)
process.exit(0)
