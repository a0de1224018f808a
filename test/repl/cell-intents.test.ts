import { expect, it } from 'vitest'
import { AgentService, defineTool } from 'mandate'
import type { AgentConfig, Json } from 'mandate'
import { definePolicy } from 'mandate/gate'
import { memoryJournal, readAll } from 'mandate/journal'
import type { Journal } from 'mandate/journal'
import { scripted, textOf } from 'mandate/model'
import { ReplSession, codeMode } from 'mandate/repl'

const said = (toolName: string, riskLevel = 'read'): string =>
  `<intent>${JSON.stringify({ toolName, purpose: 'to look', expectedOutcome: 'a value', riskLevel })}</intent>`
const cell = (source: string): string => `\`\`\`js\n${source}\n\`\`\``

interface World {
  readonly service: AgentService
  readonly journal: Journal
  readonly done: Json[]
}

function world(config: AgentConfig = {}): World {
  const done: Json[] = []
  const run = (input: Json): number => done.push(input)
  const tools = ['look', 'other'].map((name) =>
    defineTool({ name, description: name, risk: 'read', inputSchema: { type: 'object' }, run }),
  )
  const journal = memoryJournal()
  const agents = config.model === undefined ? [] : [{ id: 'main', mode: 'code' as const, tools, ...config }]
  const mandate = definePolicy({ preset: 'governed' })
  return {
    service: new AgentService({ journal, agents, tools: agents.length === 0 ? tools : [], mandate }),
    journal,
    done,
  }
}

/** The intents of the effects of all cells. */
async function recorded(journal: Journal): Promise<unknown[]> {
  const found: unknown[] = []
  for (const { run, mind } of await journal.list()) {
    if (mind !== 'cell') continue
    for (const { type, data } of await readAll(journal, run)) {
      const { kind, intent } = data as { readonly kind?: string; readonly intent?: { readonly toolName: string } }
      if (type === 'effect-start' && kind !== 'model') found.push(intent?.toolName)
    }
  }
  return found
}

const toldTo = (model: ReturnType<typeof scripted>, request: number): string =>
  textOf(model.requests[request]!.messages.at(-1)!)

const TRY_BOTH = `const all = await Promise.all([1, 2].map((n) => tools.look({ n })))
let why
try { await tools.other({}) } catch (error) { why = error.message }
print(all.join(), why)`

it('what a reply declares covers every call of that name in its cell, is recorded with each, and covers no other', async () => {
  const model = scripted([`I look.\n${said('look')}\n${cell(TRY_BOTH)}`, cell("answer('ok')")])
  const { service, journal, done } = world({ model })
  const result = await service.run('main', 'Go.')
  expect(result).toMatchObject({ status: 'completed', result: 'ok' })
  expect(done).toEqual([{ n: 1 }, { n: 2 }])
  expect(toldTo(model, 1)).toMatch(/1,2 .*No intent was declared for this call.*"other"/s)
  expect(await recorded(journal)).toEqual(['look', 'look'])
  expect(await service.replay(result.id)).toMatchObject({ identical: true })
})

it('covers the cell of its own reply and no later one', async () => {
  const model = scripted([
    `${said('look')}\n${cell('print(await tools.look({}))')}`,
    cell('print(await tools.look({}))'),
    cell("answer('ok')"),
  ])
  const { service, done } = world({ model })
  expect(await service.run('main', 'Go.')).toMatchObject({ result: 'ok' })
  expect(done).toHaveLength(1)
  expect(toldTo(model, 2)).toContain('INTENT_MISSING')
})

it('the model is told how to declare, and what was wrong with what it declared', async () => {
  const bad = '<intent>{"toolName": "look", "purpose": "x"}</intent>'
  const model = scripted([`${bad}\n${cell('await tools.look({})')}`, cell("answer('ok')")])
  const { service, done } = world({ model })
  await service.run('main', 'Go.')
  expect(textOf(model.requests[0]!.messages[0]!)).toContain('An intent covers all calls of that name in the cell')
  expect(toldTo(model, 1)).toContain('`expectedOutcome` must be a text')
  expect(done).toEqual([])
})

it('of two intents for one name the riskier one counts, and raises the risk of the calls', async () => {
  const source = cell('answer(String(await tools.look({})))')
  const { service, done } = world({
    model: scripted([`${said('look', 'destructive')} ${said('look')}\n${source}`]),
  })
  const waiting = await service.run('main', 'Go.')
  expect(waiting).toMatchObject({ status: 'await_user', pending: [{ name: 'look' }] })
  expect(done).toEqual([])
  await service.approve((await service.approvals())[0]!.id)
  expect(await service.resume(waiting.id)).toMatchObject({ result: '1' })
})

it('functions of cells are declared by the name that the model knows', async () => {
  const long = 'x'.repeat(50)
  const ask = cell(`answer(await rlm_query({ prompt: 'Count.', context: '${long}' }))`)
  const model = scripted(({ messages }) =>
    textOf(messages[1]!) === 'Go.' ? `${said('rlm_query')}\n${ask}` : cell('answer(String(context.length))'),
  )
  const { service, journal } = world({ model, mode: codeMode({ policy: { plainChars: 10 } }) })
  expect(await service.run('main', 'Go.')).toMatchObject({ result: '50' })
  expect(await recorded(journal)).toEqual(['main'])
})

it('a cell of the host declares in the comments that it begins with', async () => {
  const { service, journal, done } = world()
  const session = await ReplSession.open(service)
  expect((await session.evalCell('await tools.look({})')).error).toMatchObject({ code: 'INTENT_MISSING' })
  const declaring = await session.evalCell(`// ${said('look')}\nconst got = await tools.look({})\ngot`)
  expect(declaring).toMatchObject({ status: 'completed', value: 1 })
  const broken = await session.evalCell('// <intent>{look}</intent>\nawait tools.look({})')
  expect(broken.error?.message).toContain('It is not valid JSON')
  expect((await session.evalCell(`const text = \`\n// ${said('look')}\`\nawait tools.look({})`)).status).toBe('failed')
  expect(await session.variables.get('got')).toBe(1)
  expect(done).toHaveLength(1)
  expect(await recorded(journal)).toEqual(['look'])
})
