// One process of the scenario: `start` begins the run, `resume` goes on with it. A tool of it kills the process the first time it is called.
import { appendFileSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AgentService, defineTool } from 'mandate'
import { scripted, textOf } from 'mandate/model'
import { codeMode } from 'mandate/repl'
import { openStore } from 'mandate/sqlite'

const [command, folder, size] = process.argv.slice(2) as [string, string, string]
const log = (line: string): void => appendFileSync(join(folder, 'log'), `${line}\n`)

const publish = defineTool({
  name: 'publish',
  description: 'Publishes a number.',
  risk: 'write',
  needsApproval: true,
  inputSchema: { type: 'object', properties: { total: { type: 'string' } } },
  run: ({ total }: { total?: string }) => {
    log(`publish ${total}`)
    return `published ${total}`
  },
})
const fragile = defineTool({
  name: 'fragile',
  description: 'Dies the first time.',
  risk: 'read',
  idempotent: true,
  inputSchema: { type: 'object' },
  run: () => {
    const marker = join(folder, 'died')
    if (existsSync(marker)) return 'alive'
    writeFileSync(marker, '')
    process.kill(process.pid, 'SIGKILL')
    return new Promise(() => {})
  },
})

const cell = (...lines: string[]): string => `\`\`\`js\n${lines.join('\n')}\n\`\`\``
const graph = (tool: string): string =>
  `graph release { start out state { total string } node out { kind tool tool "${tool}" next END } }`

const MAIN = [
  cell('const size = context.length', 'print(size)'),
  cell(
    'const step = Math.ceil(context.length / 4)',
    "const parts = [0, 1, 2, 3].map((i) => ({ prompt: 'Count the needles.', context: context.slice(i * step, (i + 1) * step) }))",
    'const counts = await rlm_query_batched(parts)',
    'const total = counts.reduce((sum, one) => sum + Number(one.value), 0)',
    'print(total)',
  ),
  cell(
    `await graph_define({ name: 'release', source: ${JSON.stringify(graph('publsh'))} })`,
    "print(await graph_validate('release'))",
  ),
  cell(
    `await graph_define({ name: 'release', source: ${JSON.stringify(graph('publish'))} })`,
    "print(await graph_validate('release'))",
    "await graph_compile('release')",
  ),
  cell("print(await graph_register({ graph: 'release', reason: 'publishes what was counted' }))"),
  cell('print(await tools.fragile({}))'),
  cell(
    "const released = await graph_run({ graph: 'release', input: { total: String(total) } })",
    'print(JSON.stringify(released))',
  ),
  cell('answer(`There are ${total} needles in ${size} characters.`)'),
]

const model = scripted((request, { position }) => {
  const text = textOf(request.messages.find(({ role }) => role === 'user')!)
  const isMain = text.startsWith('How many')
  log(`model ${isMain ? `main ${position}` : 'part'}`)
  return isMain ? MAIN[position]! : cell("answer(String(context.split('needle').length - 1))")
})

const store = await openStore({ dir: join(folder, 'store') })
const service = new AgentService({
  store,
  tools: [publish, fragile],
  agents: [
    {
      id: 'analyst',
      model,
      tools: [fragile],
      mode: codeMode({ template: 'context-explorer', policy: { timeoutMs: 0, plainChars: 1000 } }),
      budget: { modelCalls: 12 },
    },
  ],
  onApproval: ({ name }) => {
    log(`approve ${name}`)
    return { answer: 'approve' as const }
  },
})

if (command === 'start') {
  const half = 'hay '.repeat(Number(size) / 8)
  const context = `${half}needle ${half}needle needle`
  const { status, error } = await service.run('analyst', 'How many needles?', { runId: 'scenario', context })
  process.stdout.write(JSON.stringify({ status, error }))
} else {
  const result = await service.resume('scenario')
  const { status, error } = result
  const { identical } = await service.replay('scenario')
  const { ok } = await service.verify('scenario')
  const { usage } = result
  process.stdout.write(JSON.stringify({ status, error, result: result.result, identical, ok, usage }))
}
await service.stop()
