import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AgentService } from 'mandate'
import { scripted } from 'mandate/model'
import { ReplSession } from 'mandate/repl'
import { sqliteJournal } from 'mandate/sqlite'

/** Finishes runs in code mode, closes sessions or leaves them open, each with 20,000 rows in a variable, and writes how many there were. */
const [what = 'runs', count = '60'] = process.argv.slice(2)
const rows = "const rows = Array.from({ length: 20_000 }, (_, i) => ({ id: i, name: 'row ' + i }))"
const dir = mkdtempSync(join(tmpdir(), 'mandate-sessions-'))
const journal = sqliteJournal({ path: join(dir, 'journal.db') })
const model = scripted([`\`\`\`js\n${rows}; answer(rows.length)\n\`\`\``])
const service = new AgentService({ journal, agents: [{ id: 'coder', mode: 'code', model }] })
const sessions: ReplSession[] = []
let done = 0
for (; done < Number(count); done++) {
  if (what === 'runs') {
    const { status } = await service.run('coder', 'Go.')
    if (status !== 'completed') break
    continue
  }
  const session = await ReplSession.open(service)
  sessions.push(session)
  const { status } = await session.evalCell(rows)
  if (status !== 'completed') break
  if (what === 'closed') await session.close()
}
// Sessions that are no longer in memory go on from the journal.
const first = what === 'open' ? await sessions[0]!.evalCell('rows.length') : undefined
await service.stop()
rmSync(dir, { recursive: true })
process.stdout.write(JSON.stringify({ done, ...(first === undefined ? {} : { first: first.value }) }))
