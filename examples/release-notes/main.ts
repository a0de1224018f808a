// The main job, `npm start`: an agent works under the gate with a durable journal, is killed in the middle of a second run, resumed and replayed.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline/promises'
import { fileURLToPath } from 'node:url'
import { AgentService } from 'mandate'
import type { AgentResult } from 'mandate'
import type { ApprovalHandler } from 'mandate/run'
import { openStore } from 'mandate/sqlite'
import { releaseNotes } from './agent.ts'
import { startServer } from './server.ts'
import { heading, line, progress } from './show.ts'

const DIR = '.mandate'
const AGENT_FILE = 'examples/release-notes/agent.ts'
const TASK = 'Find the latest release notes of tangram and summarise the changes that affect the API'

/** Asks on the terminal; where there is none, says so and approves, so that the job also runs unattended. */
const askTerminal: ApprovalHandler = async (request) => {
  if (!process.stdin.isTTY) {
    line('!', 'there is no terminal to ask, so this demonstration approves it by itself')
    return { answer: 'approve', hash: request.hash }
  }
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  // The terminal takes Ctrl-C for itself while it asks; here it ends the demonstration.
  terminal.once('SIGINT', () => process.kill(process.pid, 'SIGINT'))
  const answer = await terminal.question('    Approve this call? [Y/n] ')
  terminal.close()
  return /^n/i.test(answer.trim()) ? { answer: 'reject', text: 'not now' } : { answer: 'approve', hash: request.hash }
}

async function openService(url: string): Promise<{ service: AgentService; path: string }> {
  const { journal, path } = await openStore({ dir: DIR })
  const service = new AgentService({
    store: { journal, close: () => journal.close() },
    agents: [releaseNotes(url)],
    onApproval: askTerminal,
  })
  service.events.on('*', progress())
  return { service, path }
}

/** The second run, in a process of its own that ends as badly as a process can. */
async function runAndDie(url: string, runId: string): Promise<void> {
  const { service } = await openService(url)
  service.events.on('step-start', ({ data }) => {
    if (data.turn < 4) return
    line('☠', `kill -9 ${process.pid}`)
    process.kill(process.pid, 'SIGKILL')
  })
  await service.run('release-notes', `${TASK}.`, { runId, source: AGENT_FILE })
}

function spawnDoomed(url: string, runId: string): Promise<NodeJS.Signals | null> {
  const child = spawn(process.execPath, [...process.execArgv, fileURLToPath(import.meta.url), url, runId], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  return new Promise((resolve) => child.on('exit', (_code, signal) => resolve(signal)))
}

/** What the model said last was shown when it said it. */
function printResult(result: AgentResult): void {
  if (result.error !== undefined) line('✗', result.error.message)
  const { inputTokens, outputTokens } = result.usage
  line(
    ' ',
    `${result.status} in ${result.steps} turns, ${result.actions.length} tool calls, ${inputTokens + outputTokens} tokens, $${(result.cost ?? 0).toFixed(4)}`,
  )
}

async function main(): Promise<number> {
  const server = await startServer()
  const { service, path } = await openService(server.url)
  try {
    heading('1. An agent works under the gate')
    const first = await service.run('release-notes', `${TASK}, then announce them.`, { source: AGENT_FILE })
    printResult(first)

    heading('2. The same again, killed in the middle')
    const before = new Map(server.requests)
    const runId = `${first.id}-again`
    await spawnDoomed(server.url, runId)
    const second = await service.resume(runId)
    printResult(second)

    heading('3. Was anything done twice? The site has counted the requests of the second run:')
    const counts = [...server.requests].map(([name, count]) => [name, count - (before.get(name) ?? 0)] as const)
    for (const [name, count] of counts.filter(([, times]) => times > 0))
      line(count === 1 ? '✓' : '✗', `${name}: ${count}`)

    heading('4. Replay it from the journal, performing nothing')
    const total = (): number => [...server.requests.values()].reduce((sum, count) => sum + count, 0)
    const sent = total()
    const replay = await service.replay(runId)
    const report = await service.verify(runId)
    line(
      replay.identical ? '✓' : '✗',
      `${replay.effects} effects answered from the journal, ${replay.identical ? 'identical' : JSON.stringify(replay.difference)}; requests sent: ${total() - sent}`,
    )
    line(
      report.ok ? '✓' : '✗',
      `${report.entries} entries, chain ${report.ok ? 'intact' : report.problems.join(' ')}, head ${report.head.hash.slice(0, 16)}…`,
    )

    console.log(`\nJournal: ${path}\nNext:`)
    for (const command of [`runs`, `verify ${runId}`, `replay ${runId}`, `studio`])
      console.log(`  npm run -s mandate -- ${command}`)
    const isGood =
      first.status === 'completed' &&
      second.status === 'completed' &&
      replay.identical &&
      report.ok &&
      counts.every(([, count]) => count <= 1)
    return isGood ? 0 : 1
  } finally {
    await service.stop()
    await server.close()
  }
}

/** At a terminal: the runs in the browser, until Ctrl-C. */
function showStudio(): Promise<void> {
  console.log('\nLook at what happened, in the browser:')
  const command = ['--conditions=mandate-source', 'src/cli/main.ts', 'studio', AGENT_FILE]
  const studio = spawn(process.execPath, command, { stdio: 'inherit' })
  // Ctrl-C is for the studio; this process ends with it.
  process.on('SIGINT', () => {})
  return new Promise((resolve) => studio.on('exit', () => resolve()))
}

const [url, runId] = process.argv.slice(2)
if (url !== undefined && runId !== undefined) await runAndDie(url, runId)
else {
  process.exitCode = await main()
  if (process.stdin.isTTY && process.stdout.isTTY) await showStudio()
}
