// One process of the scenario: `start` begins the run, `resume` goes on with it. A tool of it kills the process the first time it is called, unless `died` is
// in the folder.
import { join } from 'node:path'
import { AgentService } from 'mandate'
import { openStore } from 'mandate/sqlite'
import options, { log } from '../cli/fixtures/scenario-service.ts'

const [command, folder, size] = process.argv.slice(2) as [string, string, string]
const store = await openStore({ dir: join(folder, 'store') })
const service = new AgentService({
  ...options,
  store,
  onApproval: ({ name }) => {
    log(`approve ${name}`)
    return { answer: 'approve' as const }
  },
})

if (command === 'start') {
  const half = 'hay '.repeat(Number(size) / 8)
  const context = `${half}needle ${half}needle needle`
  const { status, error, usage } = await service.run('analyst', 'How many needles?', { runId: 'scenario', context })
  process.stdout.write(JSON.stringify({ status, error, usage }))
} else {
  const result = await service.resume('scenario')
  const { status, error } = result
  const runs = (await service.runs()).map(({ run }) => run)
  const identical = (await Promise.all(runs.map((run) => service.replay(run)))).every((each) => each.identical)
  const ok = (await Promise.all(runs.map((run) => service.verify(run)))).every((each) => each.ok)
  const { usage } = result
  process.stdout.write(
    JSON.stringify({ status, error, result: result.result, identical, ok, usage, runs: runs.length }),
  )
}
await service.stop()
