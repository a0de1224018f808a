import { AgentService, defineTool } from 'mandate'
import { Atlas, agent, chatText } from 'mandate/chat'
import { compileExpr, parseCondition } from 'mandate/expr'
import { channel, defineGraph, runGraph } from 'mandate/graph'
import { memoryJournal } from 'mandate/journal'
import { inMemory, inMemoryDatabase } from 'mandate/memory'
import { scripted } from 'mandate/model'
import { secretRedactor } from 'mandate/redact'
import { ReplSession } from 'mandate/repl'
import { supervisorTeam } from 'mandate/team'
import { AgentVM, Eval, program, s } from 'mandate/vm'

/** Throws unless two values are the same as JSON. */
function same(actual: unknown, expected: unknown): void {
  const [left, right] = [actual, expected].map((value) => JSON.stringify(value))
  if (left !== right) throw new Error(`${left} is not ${right}`)
}

const add = defineTool({
  name: 'add',
  description: 'Adds two numbers.',
  risk: 'read',
  inputSchema: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
  run: ({ a, b }: { a: number; b: number }) => ({ sum: a + b }),
})

/** What each of the core rooms does, on any platform: nothing here is Node's. */
const ROOMS: Readonly<Record<string, () => Promise<void>>> = {
  async agent() {
    const model = scripted([{ toolCalls: [{ name: 'add', input: { a: 1, b: 2 } }] }, 'It is 3.'])
    const service = new AgentService({ agents: [{ id: 'adder', model, tools: [add] }] })
    const result = await service.run('adder', 'What is 1 + 2?')
    same([result.status, result.text, result.steps], ['completed', 'It is 3.', 2])
    same((await service.verify(result.id)).ok, true)
    same((await service.replay(result.id)).identical, true)
    await service.stop()
  },
  async approvals() {
    const pay = defineTool({ name: 'pay', risk: 'write', needsApproval: true, run: () => 'paid' })
    const model = scripted([{ toolCalls: [{ name: 'pay' }] }, 'Done.'])
    const journal = memoryJournal()
    const first = new AgentService({ journal, agents: [{ id: 'payer', model, tools: [pay] }] })
    const { id, status, pending } = await first.run('payer', 'Pay.')
    same(status, 'await_user')
    await first.stop()
    const second = new AgentService({ journal, agents: [{ id: 'payer', model, tools: [pay] }] })
    await second.approve(pending[0]!.approvalId!)
    same((await second.resume(id)).text, 'Done.')
    same((await second.resume(await second.fork(id))).status, 'completed')
    await second.stop()
  },
  async budget() {
    const model = scripted(() => ({ toolCalls: [{ name: 'add', input: { a: 1, b: 1 } }] }))
    const service = new AgentService({ agents: [{ id: 'endless', model, tools: [add], budget: { toolCalls: 3 } }] })
    const { status, actions } = await service.run('endless', 'Go on.')
    same([status === 'completed', actions.filter(({ ok }) => ok).length], [false, 3])
    await service.stop()
  },
  async vm() {
    const doubled = program
      .take(s.object({ n: s.number }))
      .varSet({ key: 'm', value: { $kind: 'arg', path: 'n' } })
      .return(s.object({ m: s.number }))
    same((await new AgentVM().run(doubled, { n: 4 }, { fuel: 100 })).result, { m: 4 })
    const { result } = await Eval('let sum = 0; for (const n of list) sum += n * n; return sum', {
      vars: { list: [1, 2, 3] },
    })
    same(result, 14)
  },
  async graph() {
    const graph = defineGraph({ name: 'double', state: { n: channel.last<number>() }, input: ['n'] })
      .node('twice', ({ n }) => ({ n: n * 2 }))
      .start('twice')
    const service = new AgentService()
    same(await runGraph(service, graph, { n: 21 }).result(), { n: 42 })
    await service.stop()
  },
  async repl() {
    const service = new AgentService()
    const session = await ReplSession.open(service, { sessionId: 'cells' })
    await session.evalCell('const rows = [3, 5, 8]')
    same((await session.evalCell('rows.reduce((a, b) => a + b, 0)')).value, 16)
    await service.stop()
  },
  async chat() {
    const atlas = new Atlas({ agents: [agent({ id: 'helper', model: scripted(['Hello.']) })] })
    same(chatText(await atlas.ask('Hi.')), 'Hello.')
  },
  async team() {
    const member = { id: 'worker', description: 'Works.', model: scripted(() => 'Worked.') }
    const lead = scripted([{ toolCalls: [{ name: 'worker', input: { prompt: 'Work.' } }] }, 'All done.'])
    const service = new AgentService({ agents: supervisorTeam({ id: 'lead', model: lead, members: [member] }) })
    same((await service.run('lead', 'Do it.')).text, 'All done.')
    await service.stop()
  },
  async stores() {
    const memory = inMemory()
    await memory.append('notes', { text: 'hello' })
    same(await memory.read('notes'), [{ text: 'hello' }])
    const database = inMemoryDatabase()
    await database.write('users', 'ada', { name: 'Ada' })
    same(await database.read('users', 'ada'), { name: 'Ada' })
  },
  async words() {
    same(compileExpr(parseCondition('order.total > 10 && !order.paid'))({ order: { total: 12, paid: false } }), true)
    same(
      secretRedactor().text('key sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD').includes('abcdefghijklmnop'),
      false,
    )
  },
}

/** Goes through the core rooms and tells what failed; nothing where everything works. */
export async function coreSmoke(): Promise<{
  readonly rooms: readonly string[]
  readonly failures: readonly string[]
}> {
  const failures: string[] = []
  for (const [name, room] of Object.entries(ROOMS)) {
    try {
      await room()
    } catch (error) {
      failures.push(`${name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
    }
  }
  return { rooms: Object.keys(ROOMS), failures }
}
