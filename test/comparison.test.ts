import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { builtPackage } from './built-package.ts'
import { announceSkip, isSweep } from './rotation.ts'
import { root } from './tidy/sources.ts'

const { flags } = await builtPackage()
const page = readFileSync(join(root, 'docs/comparison.md'), 'utf8')
const sides = ['mandate', 'ai-sdk', 'openai-agents', 'mastra']
const isInstalled = ['@openai/agents', '@mastra/core', '@mastra/libsql'].every((name) =>
  existsSync(join(root, 'bench/peers/node_modules', name)),
)
// The others are there to be compared with: in the sweep.
const runnable = sides.filter(
  (side) => (side === 'mandate') !== isSweep && (isInstalled || side === 'mandate' || side === 'ai-sdk'),
)

/** Lines of code: neither blank nor comment. */
function linesOf(side: string): number {
  const lines = readFileSync(join(root, `docs/comparison/${side}.ts`), 'utf8').split('\n')
  return lines.filter((line) => !/^\s*(?:$|\/\/|\/\*\*.*\*\/$)/.test(line)).length
}

test.skipIf(isSweep)('the page tells the number of lines that each program has', () => {
  const told = Object.fromEntries(
    sides.map((side) => [side, Number(new RegExp(`\\(comparison/${side}\\.ts\\) \\| (\\d+) \\|`).exec(page)?.[1])]),
  )
  expect(told).toEqual(Object.fromEntries(sides.map((side) => [side, linesOf(side)])))
})

test.skipIf(isSweep)('the page tells the versions that were compared', () => {
  const read = (path: string): Record<string, Record<string, string>> =>
    JSON.parse(readFileSync(join(root, path), 'utf8')) as never
  const versions = { ...read('package.json')['devDependencies'], ...read('bench/peers/package.json')['dependencies'] }
  for (const name of ['ai', '@openai/agents', '@mastra/core', '@langchain/langgraph', 'langchain'])
    expect(page).toContain(`\`${name}\` ${versions[name]}`)
})

test.skipIf(!isSweep)('the programs of the libraries that are installed for the benchmarks alone compile', () => {
  if (!isInstalled)
    return announceSkip(
      'the programs for OpenAI Agents and Mastra in docs/comparison',
      'npm install --prefix bench/peers, then npx vitest run test/comparison.test.ts',
    )
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const ran = spawnSync(process.execPath, [tsc, '--noEmit', '-p', 'docs/comparison'], { cwd: root, encoding: 'utf8' })
  expect(ran.stdout + ran.stderr).toBe('')
})

describe.each(runnable)('%s', (side) => {
  let folder = ''
  beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'mandate-comparison-'))))
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  /** One step in a process of its own: its outcome, how it ended, and how often it called the model. */
  async function step(action: string, env: Record<string, string> = {}): Promise<Ended> {
    const child = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', ...flags, 'test/comparison/program.ts', side, action, folder],
      {
        cwd: root,
        env: { ...process.env, OPENAI_AGENTS_DISABLE_TRACING: '1', MASTRA_TELEMETRY_DISABLED: '1', ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
        timeout: 50_000,
      },
    )
    let output = ''
    let errors = ''
    child.stdout.on('data', (chunk) => (output += String(chunk)))
    child.stderr.on('data', (chunk) => (errors += String(chunk)))
    return new Promise((resolve) => {
      child.on('close', (_code, signal) => {
        const last = output.trim().split('\n').at(-1) ?? ''
        const outcome = last.startsWith('{') ? (JSON.parse(last) as Ended['outcome']) : { errors }
        resolve({ outcome, signal, modelCalls: errors.split('model call').length - 1 })
      })
    })
  }
  const refunds = (): string =>
    existsSync(join(folder, 'refunds.txt')) ? readFileSync(join(folder, 'refunds.txt'), 'utf8') : ''
  const call = { tool: 'refund', input: { order: 'A-17', amount: 80 } }

  test('waits for a person, is killed after the refund, and goes on without a second one', async () => {
    expect(await step('ask')).toMatchObject({ outcome: { status: 'waiting', call }, modelCalls: 5 })
    expect(refunds()).toBe('')
    expect(await step('approve', { DIE: '1' })).toMatchObject({ signal: 'SIGKILL' })
    expect(refunds()).toBe('A-17 80\n')
    const { outcome, modelCalls } = await step('resume')
    const answer = { decision: 'refunded', amount: 80, reason: 'The goods are unopened.' }
    expect(outcome).toMatchObject({ status: 'done', answer })
    expect(outcome['parts'], 'the answer is streamed').toBeGreaterThan(1)
    expect(modelCalls).toBe(1)
    expect(refunds()).toBe('A-17 80\n')
  })

  test('makes no refund that a person refused', async () => {
    await step('ask')
    expect(await step('reject', { REFUSED: '1' })).toMatchObject({ outcome: { answer: { decision: 'refused' } } })
    expect(refunds()).toBe('')
  })

  test('stops when the budget is spent, the sub-agent included', async () => {
    const { outcome, modelCalls } = await step('ask', { EXPENSIVE: '1' })
    expect(outcome).toMatchObject({ status: 'stopped' })
    expect(modelCalls, 'the first call passes the limit').toBeLessThanOrEqual(2)
  })
})

interface Ended {
  readonly outcome: Readonly<Record<string, unknown>>
  readonly signal: string | null
  readonly modelCalls: number
}
