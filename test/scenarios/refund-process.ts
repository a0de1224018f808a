import { AgentService } from 'mandate'
import { openStore } from 'mandate/sqlite'
import { refundAgent } from './refund-agent.ts'

/** A process that begins a run and is killed in the middle of it. */
const dir = process.argv[2]!
const { journal } = await openStore({ dir })
const service = new AgentService({ store: { journal }, agents: [refundAgent(dir, { dieInTurn2: true })] })
await service.run('support', 'Pay order A-17 back.', { runId: 'r1', sessionId: 's1' })
