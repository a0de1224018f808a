import { appendFileSync } from 'node:fs'
import { defineTool } from 'mandate'
import { Kernel } from 'mandate/kit'
import { sqliteJournal } from 'mandate/sqlite'
import { registerProgram, runProgram } from 'mandate/vm'

/** One process of a run: starts it, or answers what waits and goes on. It says what came of it on stdout. */
export interface WorkerTask {
  readonly path: string
  /** Where the outside world counts what was done. */
  readonly world: string
  readonly program: string | object
  readonly args: object
  /** Answer only so many of what waits. */
  readonly answers: number
  readonly isFirst: boolean
}

const task = JSON.parse(process.argv[2]!) as WorkerTask
const journal = sqliteJournal({ path: task.path })
const kernel = new Kernel({ journal })
for (const [name, needsApproval] of [
  ['act', false],
  ['deploy', true],
] as const) {
  kernel.registry.registerTool(
    defineTool({
      name,
      needsApproval,
      risk: 'write',
      inputSchema: { type: 'object' },
      run: ({ text }: { text: string }) => {
        appendFileSync(task.world, `${name} ${text}\n`)
        return `${text}!`
      },
    }),
  )
}
const options = { name: 'main', fuel: 10_000 }
let outcome
if (task.isFirst) outcome = await runProgram(kernel, task.program, task.args, { ...options, runId: 'r' })
else {
  await registerProgram(kernel, task.program, options)
  const waiting = await kernel.approvals('r')
  for (const { id } of waiting.slice(0, task.answers)) await kernel.respond(id, { answer: 'approve' })
  outcome = await kernel.resume('r')
}
const isOver = outcome.state !== 'suspended'
const replay = isOver ? await kernel.replay('r') : undefined
process.stdout.write(JSON.stringify({ outcome, replay }))
await kernel.stop()
await journal.close()
