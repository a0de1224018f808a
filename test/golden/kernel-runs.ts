import { AgentService, kernelOf } from '../../src/agent/index.ts'
import { defineTool } from '../../src/tool/index.ts'
import type { AgentConfig } from '../../src/agent/index.ts'
import { scripted } from '../../src/model/index.ts'
import type { Mind } from '../../src/run/index.ts'
import type { Journal } from '../../src/journal/index.ts'

/**
 * The agents and minds behind the golden journals that a kernel wrote. They stand for what users have: later builds must replay those
 * journals with them, so nothing here may change once its journal is committed.
 */
const look = defineTool({
  name: 'look',
  description: 'Looks something up.',
  inputSchema: { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] },
  risk: 'read',
  idempotent: true,
  run: ({ q }: { q: string }) => ({ found: `all about ${q}` }),
})

const pay = defineTool({
  name: 'pay',
  description: 'Pays.',
  inputSchema: { type: 'object', properties: { euros: { type: 'number' } }, required: ['euros'] },
  risk: 'destructive',
  run: ({ euros }: { euros: number }) => `paid ${euros}`,
})

const fail = defineTool({
  name: 'fail',
  description: 'Fails.',
  inputSchema: { type: 'object' },
  risk: 'read',
  run() {
    throw new Error('it cannot be done')
  },
})

const helper: AgentConfig = { id: 'helper', description: 'Helps.', model: scripted(['Helped.'], { name: 'helper' }) }

const clerk: AgentConfig = {
  id: 'clerk',
  instructions: 'You pay what is owed.',
  model: scripted(
    [
      { text: 'I look.', toolCalls: [{ name: 'look', input: { q: 'debts' } }, { name: 'look', input: { q: 7 } }, { name: 'nobody', input: {} }] },
      { text: 'I ask for help.', toolCalls: [{ name: 'helper', input: { prompt: 'Help.' } }, { name: 'fail', input: {} }] },
      { text: 'I pay.', toolCalls: [{ name: 'pay', input: { euros: 100 } }] },
      'It is paid.',
    ],
    { name: 'clerk' },
  ),
  tools: [look, pay, fail],
  agents: ['helper'],
  budget: { toolCalls: 20, totalTokens: 100_000 },
}

/** Parallel chains in one strand, a strategy, a question and a short sleep. */
const weaver: Mind = {
  kind: 'program',
  name: 'weaver',
  async start(_input, context) {
    const ask = (q: string): ReturnType<typeof context.perform> => context.perform({ kind: 'tool', name: 'look', input: { q } })
    const woven = await Promise.all([ask('a').then(() => ask('b')), ask('c').then(() => ask('d')), context.task('apart', (strand) => strand.perform({ kind: 'tool', name: 'look', input: { q: 'e' } }))])
    const chosen = await context.record('choice', () => 'blue')
    await context.perform({ kind: 'sleep', name: 'sleep', input: { until: 0 } })
    const answer = await context.perform({ kind: 'question', name: 'human', input: { text: 'Which one?' } })
    return { woven: woven.map(({ status }) => status), chosen, answer: answer.status === 'ok' ? answer.value : null, chance: context.random(), id: context.newId('thing') }
  },
}

/** A host that knows them all, and gives the same bytes every time. */
export function goldenService(journal: Journal): AgentService {
  return new AgentService({ journal, agents: [helper, clerk], minds: [weaver], tools: [look], deterministic: { seed: 'golden' } })
}

/** Writes the runs anew; their journals are committed once and never made again. */
export async function writeRuns(journal: Journal): Promise<readonly string[]> {
  const service = goldenService(journal)
  const waiting = await service.run('clerk', 'Pay what is owed.', { runId: 'kernel-clerk' })
  await service.approve(waiting.pending[0]!.approvalId!, { edit: { euros: 50 } })
  await service.resume('kernel-clerk')
  await kernelOf(service).run({ kind: 'program', name: 'weaver', input: null, runId: 'kernel-weaver', seed: 'golden' })
  const [question] = await service.approvals('kernel-weaver')
  await service.answer(question!.id, 'the red one')
  await service.resume('kernel-weaver')
  const runs = (await service.runs()).map(({ run }) => run).toSorted()
  await service.stop()
  return runs
}
