// Several steps with consequences: find a failing test, reproduce it in the sandboxed shell, open an issue over HTTP, with a person in between.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AgentService } from 'mandate'
import { openStore } from 'mandate/sqlite'
import { failingTest } from './agent.ts'
import { makeRepository } from './repository.ts'
import { startTracker } from './tracker.ts'

const TOKEN = 'tracker-token-of-this-example'
const folder = mkdtempSync(join(tmpdir(), 'mandate-failing-test-'))
makeRepository(folder)
const tracker = await startTracker(TOKEN)
const { journal } = await openStore({ dir: '.mandate' })
const service = new AgentService({
  store: { journal, close: () => journal.close() },
  agents: [failingTest(folder, tracker.url)],
  secrets: (name) => (name === 'TRACKER_TOKEN' ? TOKEN : undefined),
})

try {
  const waiting = await service.run('failing-test', 'Create an issue for the failing test, with a reproduction.')
  console.log(`${waiting.status}: ${waiting.lastText}`)
  for (const { toolId, status } of waiting.actions) console.log(`  ${toolId} ${status}`)

  const [request] = await service.approvals(waiting.id)
  if (request === undefined) throw new Error(`nothing waits for approval: ${waiting.error?.message ?? waiting.text}`)
  const { body } = request.input as { body: string }
  console.log(`\nWaits for approval (${request.text}):\n${body.replaceAll('\\n', '\n').slice(0, 400)}…\n`)
  if (tracker.issues.length > 0) throw new Error('the issue was opened before anyone approved it')

  // Here a person reads it: `mandate inbox`, `mandate approve <id>`, a form of an MCP client. Another process could do this days later.
  await service.approve(request.id, { hash: request.hash })
  const result = await service.resume(waiting.id)
  console.log(result.text)
  console.log(`The tracker has: ${tracker.issues.map(({ title }) => title).join(', ')}`)
  console.log(`Replayed from the journal: ${(await service.replay(result.id)).identical ? 'identical' : 'differs'}`)
  if (result.status !== 'completed' || tracker.issues.length !== 1) process.exitCode = 1
} finally {
  await service.stop()
  await tracker.close()
  rmSync(folder, { recursive: true })
}
