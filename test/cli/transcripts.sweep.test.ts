import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemRandom } from '../../src/core/index.ts'
import { describe, expect, it } from 'vitest'
import { COMMANDS } from '../../src/cli/help/commands.ts'
import { has } from '../servers/servers.ts'
import { sharedServer } from '../servers/shared.ts'
import { builtStudio } from '../studio/studio.fixture.ts'
import { REFUND, ROOT, makeStore, mandate, refunds, store, useOwnFolder } from './mandate.fixture.ts'
import { inTerminal, programInTerminal, script, when } from './terminal.fixture.ts'
import { expectTranscript } from './transcripts.fixture.ts'

useOwnFolder()

const GRAPH = 'test/cli/fixtures/graphs/refunds.rag'
const CTRL_C = '\u0003'

/** A command line, with the name of the file that has its transcript. */
type Step = readonly [name: string, ...words: string[]]

async function expectTranscripts(folder: string, steps: readonly Step[]): Promise<void> {
  for (const [name, ...words] of steps) expectTranscript(`${folder}/${name}`, words, await inTerminal(words))
}

describe.skipIf(script === undefined)('what every command shows on a terminal', { timeout: 300_000 }, () => {
  it('is what is kept of it, in a store without runs', async () => {
    await makeStore()
    const looking = ['runs', 'inbox', 'approvals', 'metrics', 'audit', 'workers', 'doctor']
    await expectTranscripts('empty-store', [
      ...looking.map((name): Step => [name, name]),
      ['eval-list', 'eval', 'list'],
      ['graph-review-list', 'graph', 'review', 'list'],
      ['schedule-list', 'schedule', 'list', '--file', REFUND],
      ...['show', 'logs', 'export', 'verify', 'replay', 'resume', 'fork', 'cancel'].map((name): Step => [
        name,
        name,
        'nothing',
      ]),
      ['diff', 'diff', 'nothing', 'nothing'],
      ['approve', 'approve', 'nothing'],
      ['deny', 'deny', 'nothing'],
      ['answer', 'answer', 'nothing', 'yes'],
      ['steer', 'steer', 'nothing', 'be quick'],
      ['revoke', 'revoke', 'nothing'],
      ['eval-show', 'eval', 'show', 'nothing'],
      ['metrics-of-nobody', 'metrics', 'nobody'],
      ['policy-explain', 'policy', 'explain', 'nothing', '1'],
      ['retention', 'retention', '--keep', '0'],
      ['import', 'import', 'nothing.jsonl'],
      ['rekey', 'rekey'],
    ])
  })

  it('is what is kept of it, in a store with runs', async () => {
    const waiting = async (): Promise<string> =>
      /mandate resume (\S+)/.exec((await mandate('run', REFUND, 'Refund order A-17.')).notes)![1]!
    const run = await waiting()
    const other = await waiting()
    const exported = join(store(), '..', 'run.jsonl')
    writeFileSync(exported, (await mandate('export', run)).out)
    const steps: readonly Step[] = [
      ['runs', 'runs'],
      ['runs-limit', 'runs', '--limit', '1'],
      ['runs-suspended', 'runs', '--status', 'suspended', '--agent', 'support', '--since', '1d'],
      ['runs-failed', 'runs', '--status', 'failed'],
      ['wrong-status', 'runs', '--status', 'fialed'],
      ['show-short', 'show', 'run_'],
      ['approve-run', 'approve', run],
      ['inbox', 'inbox'],
      ['show-waiting', 'show', run],
      ['logs', 'logs', run],
      ['steer', 'steer', run, 'be', 'quick'],
      ['policy-explain', 'policy', 'explain', run, '4'],
      ['policy-test', 'policy', 'test', REFUND, 'refund', '--input', '{"order":"A-1"}'],
      ['approve', 'approve', `${run}-ap4`],
      ['deny', 'deny', `${other}-ap4`, 'too', 'much'],
      ['answer', 'answer', `${other}-ap4`, 'maybe'],
      ['resume', 'resume', run],
      ['cancel', 'cancel', other],
      ['show', 'show', run],
      ['logs-follow', 'logs', '-f', run],
      ['replay', 'replay', run],
      ['fork', 'fork', run, '--key', 'turn:1/tool:1', '--value', '"no"'],
      ['diff', 'diff', run, run],
      ['verify', 'verify', run],
      ['audit', 'audit'],
      ['metrics', 'metrics', 'support'],
      ['export', 'export', run],
      ['import', 'import', exported],
      ['inspect', 'inspect', 'test/cli/fixtures/endless.js'],
      ['run-program', 'run', 'test/cli/fixtures/program.js', '{"x":4}'],
      ['run', 'run', 'test/cli/fixtures/ending-agent.ts', 'Go.'],
      ['eval', 'eval', 'examples/evals/refunds.eval.json', '--concurrency', '1'],
      ['key', 'key', 'first'],
      ['doctor', 'doctor'],
      ['prices-show', 'prices', 'show', 'openai/gpt-5'],
      ['prices-list', 'prices', 'list', 'openai/gpt-5'],
      ['graph-check', 'graph', 'check', GRAPH],
      ['schedule-put', 'schedule', 'put', 'often', 'support', 'Go.', '--every', '1h', '--file', REFUND],
      ['schedule-list', 'schedule', 'list', '--file', REFUND],
      ['schedule-remove', 'schedule', 'remove', 'often', '--file', REFUND],
      ['completion', 'completion', 'bash'],
      ['init', 'init', join(store(), '..', 'made'), '--template', 'graph'],
      ['retention', 'retention', '--older-than', '1d'],
      ['help', 'help'],
      ['help-run', 'help', 'run'],
      ['wrong-command', 'runz'],
      ['wrong-option', 'runs', '--limt', '3'],
    ]
    await expectTranscripts('full-store', steps)
    expect(refunds()).toBe('A-17\n')
  })

  it('is what is kept of it, while a server is up until Ctrl-C', { timeout: 60_000 }, async () => {
    const until = (shown: RegExp): ReturnType<typeof when> => when(shown, CTRL_C)
    const served = ['serve', REFUND, '--port', '0']
    expectTranscript('servers/serve', served, await inTerminal(served, until(/^token /m)))
    const mcp = ['mcp', REFUND, '--port', '0']
    expectTranscript('servers/mcp', mcp, await inTerminal(mcp, until(/serving MCP on/)))
    const scheduled = ['schedule', 'run', '--file', REFUND]
    expectTranscript('servers/schedule-run', scheduled, await inTerminal(scheduled, until(/Ctrl-C stops/)))
    builtStudio(join(ROOT, 'dist/studio'))
    const studio = ['studio', REFUND, '--port', '0', '--dir', store()]
    // From the sources: the page is found where its build puts it.
    const program = [process.execPath, '--conditions=mandate-source', 'src/cli/main.ts', ...studio]
    expectTranscript('servers/studio', studio, await programInTerminal(program, until(/Ctrl-C ends it/)))
  })

  it.skipIf(!has('postgres'))('is what is kept of it, while a worker is up until Ctrl-C', async () => {
    const url = `${await sharedServer('postgres')}?schema=t_${systemRandom.hex(8)}`
    const words = ['worker', REFUND, '--dir', url]
    const shown = await inTerminal(words, when(/working: /, CTRL_C))
    expectTranscript('servers/worker', words.slice(0, 2), shown)
  })

  it('is kept of every command', () => {
    const kept = readdirSync(join(ROOT, 'test/cli/transcripts'), { recursive: true, encoding: 'utf8' })
    // Cells and conversations at a terminal have tests of their own, in repl.test.ts and chat.test.ts.
    const apart = new Set(['repl', 'chat'])
    const isKept = (name: string): boolean => kept.some((path) => new RegExp(`/${name}(?:-[a-z-]+)?\\.txt$`).test(path))
    expect([...COMMANDS.keys()].filter((name) => !apart.has(name) && !isKept(name))).toEqual([])
  })
})
