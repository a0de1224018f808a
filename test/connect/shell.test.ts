import { copyFileSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MandateError } from 'mandate'
import type { Json } from 'mandate'
import { shellTool } from 'mandate/connect'
import type { ShellOptions } from 'mandate/connect'
import type { ToolContext } from 'mandate/tool'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readCorpus, readOwn } from '../corpora/read-corpus.ts'

interface Result {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
  readonly isolation: string
  readonly stopped?: string
}

function ground(options: Partial<ShellOptions> = {}): {
  root: string
  call(input: Json, signal?: AbortSignal): Promise<Result>
} {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'mandate-shell-')))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const tool = shellTool({
    root,
    allow: ['ls', 'cat', 'yes', 'sleep', 'pwd', 'printenv', 'git log'],
    timeoutMs: 5_000,
    ...options,
  })
  return {
    root,
    async call(input, signal = new AbortController().signal) {
      const checked = await tool.validate(input)
      if (!checked.valid) throw new MandateError('SCHEMA_INVALID', checked.issues.map(({ message }) => message).join())
      return (await tool.run(checked.value, { signal } as ToolContext)) as Result
    },
  }
}

describe('a program and its arguments', () => {
  it('runs in the workspace with a clean environment, and says how far it is kept apart', async () => {
    const { root, call } = ground()
    mkdirSync(join(root, 'd'))
    writeFileSync(join(root, 'd/a.txt'), 'hello')
    expect(await call({ argv: ['cat', 'd/a.txt'] })).toMatchObject({ exitCode: 0, stdout: 'hello' })
    expect((await call({ argv: ['pwd'], cwd: 'd' })).stdout.trim()).toBe(join(root, 'd'))
    process.env['MANDATE_PLANTED'] = 'planted'
    onTestFinished(() => void delete process.env['MANDATE_PLANTED'])
    const { stdout, isolation } = await call({ argv: ['printenv'] })
    expect(stdout).not.toContain('planted')
    expect(['bubblewrap', 'process-group']).toContain(isolation)
  })

  it('gets its arguments as they are: no shell reads them', async () => {
    const { call } = ground()
    const { stderr } = await call({ argv: ['ls', '`id`', '$(id)', ';id', '*'] })
    expect(stderr).toContain('`id`')
    expect(stderr).not.toContain('uid=')
  })

  it('is ended with all it started when it writes too much, takes too long or is cancelled', async () => {
    const flood = await ground({ maxBytes: 10_000 }).call({ argv: ['yes'] })
    expect(flood.stopped).toContain('more than 10000 bytes')
    expect(flood.stdout.length).toBeLessThanOrEqual(10_000)
    expect((await ground({ timeoutMs: 100 }).call({ argv: ['sleep', '60'] })).stopped).toContain('longer than 100 ms')
    const cutter = new AbortController()
    const waiting = ground().call({ argv: ['sleep', '60'] }, cutter.signal)
    cutter.abort()
    expect((await waiting).stopped).toContain('cancelled')
  })

  it('takes those it left in its group with it', async () => {
    const { root, call } = ground({ allow: ['sh'], launchers: true })
    const { exitCode } = await call({ argv: ['sh', '-c', '(sleep 1; echo late > late.txt) & exit 0'] })
    expect(exitCode).toBe(0)
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    expect(existsSync(join(root, 'late.txt'))).toBe(false)
  })

  it('may live outside the folders of the system: it is brought along, alone', async () => {
    const elsewhere = realpathSync(mkdtempSync(join(tmpdir(), 'mandate-program-')))
    onTestFinished(() => rmSync(elsewhere, { recursive: true, force: true }))
    copyFileSync('/bin/cat', join(elsewhere, 'reader'))
    writeFileSync(join(elsewhere, 'beside.txt'), 'beside')
    const { root, call } = ground({ allow: ['reader'], path: [elsewhere] })
    writeFileSync(join(root, 'a.txt'), 'hello')
    expect(await call({ argv: ['reader', 'a.txt'] })).toMatchObject({ exitCode: 0, stdout: 'hello' })
  })

  it('is not run where isolation is required and cannot be had', async () => {
    const { call } = ground({ isolation: 'required' })
    const { isolation } = await call({ argv: ['ls'] }).catch((error: MandateError) => ({ isolation: error.code }))
    expect(['bubblewrap', 'DENIED']).toContain(isolation)
  })

  it('is refused when its list is made if it runs other programs, or is not there', () => {
    expect(() => ground({ allow: ['bash'] })).toThrow('runs other programs')
    expect(() => ground({ allow: ['/bin/ls'] })).toThrow('bare name')
    expect(() => ground({ allow: ['no-such-program'] })).toThrow('is not in')
  })
})

interface Case {
  readonly id: string
  readonly category: string
  readonly input: { readonly [name: string]: Json }
  readonly expect: string
  readonly reason: string
}

describe('the corpus of hostile commands', () => {
  const cases = [...readCorpus<Case>('tools'), ...readOwn<Case>('tools')].filter(({ category }) => category === 'shell')

  it.each(cases.map((one) => [`${one.id}: ${one.reason}`, one] as const))('%s', async (_, one) => {
    const { call } = ground({ maxBytes: 10_000, timeoutMs: 1_000 })
    const { note: _note, stdin: _stdin, ...input } = one.input
    const outcome = await call(input).then(
      (result) => ({ result }),
      (error: MandateError) => ({ code: error.code }),
    )
    expect([one.expect, outcome, isAsExpected(one.expect, outcome)]).toEqual([one.expect, outcome, true])
  })
})

type Outcome = { readonly result: Result } | { readonly code: string }

function isAsExpected(expected: string, outcome: Outcome): boolean {
  const isRefused = 'code' in outcome && ['DENIED', 'INPUT_INVALID', 'SCHEMA_INVALID'].includes(outcome.code)
  switch (expected) {
    case 'deny':
    case 'error':
    // A name is pinned to one file; a path is no name.
    case 'policy':
      return isRefused
    case 'bounded':
      return 'code' in outcome || outcome.result.stdout.length <= 10_000
    default:
      return 'result' in outcome
  }
}
