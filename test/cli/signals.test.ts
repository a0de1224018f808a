import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ROOT, commandLine, environment, mandate, mandateIn, store, useOwnFolder } from './mandate.fixture.ts'

useOwnFolder()

const SLOW_MODEL = 'test/cli/fixtures/slow-model-agent.ts'
const HANGING_TOOL = 'test/cli/fixtures/hanging-agent.ts'

interface Ended {
  readonly code: number | null
  readonly notes: string
  /** Between the signal and the end of the process. */
  readonly tookMs: number
}

/** Starts the command, sends it the signals once `isReady` says so, and waits for its end. */
async function signalled(
  words: readonly string[],
  signals: readonly NodeJS.Signals[],
  isReady: (notes: string) => boolean,
): Promise<Ended> {
  const [program, ...args] = commandLine(words)
  const env = { ...environment(), WORLD_LOG: log(), MODEL_MS: '20000' }
  const child = spawn(program!, args, { cwd: ROOT, env, stdio: ['ignore', 'ignore', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  let notes = ''
  let at = 0
  child.stderr.on('data', (data: Buffer) => (notes += data.toString()))
  const over = new Promise<number | null>((resolve) => child.on('close', resolve))
  for (let tries = 0; !isReady(notes) && tries < 2_500; tries++) await pause()
  at = performance.now()
  const [first, second] = signals
  child.kill(first)
  if (second !== undefined) {
    // Two that come at once are one to a process: the second is sent when the first was taken.
    for (let tries = 0; !notes.includes('again to kill') && tries < 2_500; tries++) await pause()
    child.kill(second)
  }
  const code = await over
  return { code, notes, tookMs: performance.now() - at }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 20))
}

function log(): string {
  return join(store(), '..', 'world.log')
}

function world(): string {
  return existsSync(log()) ? readFileSync(log(), 'utf8') : ''
}

const isAsked = (): boolean => world().includes('asked')

describe('signals during a model call of 20 seconds', () => {
  const codes = [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const
  test.each(codes)('%s aborts the call, suspends the run and exits with %i', async (signal, expected) => {
    const { code, notes, tookMs } = await signalled(['run', SLOW_MODEL, 'Go.'], [signal], isAsked)
    expect({ code, world: world() }).toEqual({ code: expected, world: 'asked\naborted\n' })
    // Far less than the model would have taken; under a second on an idle machine.
    expect(tookMs).toBeLessThan(8_000)
    const run = /mandate resume (\S+)/.exec(notes)![1]!
    if (signal !== 'SIGINT')
      return expect(JSON.parse((await mandate('runs', '--json')).out)).toMatchObject([{ state: 'suspended' }])
    const resumed = await mandateIn({ WORLD_LOG: log() }, 'resume', run)
    expect(resumed).toMatchObject({ code: 0, out: expect.stringContaining('Answered.') })
    expect(world()).toBe('asked\naborted\nasked\n')
  })
})

describe('signals during a tool call that does not end and is not idempotent', () => {
  const isCalled = (notes: string): boolean => notes.includes('hang')

  test('SIGTERM gives it a moment, suspends, and whoever resumes is asked what became of it', async () => {
    const { code, notes, tookMs } = await signalled(['run', HANGING_TOOL, 'Wait.'], ['SIGTERM'], isCalled)
    expect(code).toBe(143)
    expect(tookMs).toBeLessThan(15_000)
    const run = /mandate resume (\S+)/.exec(notes)![1]!
    expect((await mandate('show', run)).out).toContain('suspended (interrupt)')
    const resumed = await mandate('resume', run)
    expect(resumed.code).toBe(4)
    expect(resumed.notes).toContain('in-doubt')
  })

  test('a second signal ends the process at once', async () => {
    const { code, notes } = await signalled(['run', HANGING_TOOL, 'Wait.'], ['SIGTERM', 'SIGTERM'], isCalled)
    expect(code).toBe(143)
    expect(notes).not.toContain('mandate resume')
    expect(JSON.parse((await mandate('runs', '--json')).out)).toMatchObject([{ state: 'running' }])
  })
})
