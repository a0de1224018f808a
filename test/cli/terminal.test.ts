import { spawn } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { findProgram } from '../requirements.ts'
import { REFUND, ROOT, SLOW, commandLine, environment, mandate, refunds } from './mandate.fixture.ts'

const script = findProgram({
  program: 'script',
  aptPackage: 'bsdutils',
  neededFor: 'the command line in a pseudo-terminal',
})

interface Terminal {
  readonly code: number | null
  readonly screen: string
}

/** Runs the command in a pseudo-terminal; `typed` is asked, with what is on the screen so far, what to type next. */
function inTerminal(
  words: readonly string[],
  typed: (screen: string) => string | undefined = () => undefined,
  env: Record<string, string> = {},
): Promise<Terminal> {
  const line = commandLine(words)
    .map((word) => `'${word.replaceAll("'", `'\\''`)}'`)
    .join(' ')
  const child = spawn(script!, ['-qefc', line, '/dev/null'], {
    cwd: ROOT,
    env: { ...environment(), ...env, TERM: 'xterm-256color' },
  })
  let screen = ''
  child.stdout.on('data', (data: Buffer) => {
    screen += data.toString()
    const keys = typed(screen)
    if (keys !== undefined) child.stdin.write(keys)
  })
  return new Promise((resolve) => child.on('exit', (code) => resolve({ code, screen })))
}

/** Types once, when the screen first shows something. */
function when(shown: RegExp, keys: string): (screen: string) => string | undefined {
  let isTyped = false
  return (screen) => {
    if (isTyped || !shown.test(screen)) return undefined
    isTyped = true
    return keys
  }
}

describe.skipIf(script === undefined)('the mandate command in a terminal', () => {
  it('asks for an approval and carries the call out when told so', async () => {
    const { code, screen } = await inTerminal(['run', REFUND, 'Refund order A-17.'], when(/Approve\?/, 'y\r'))
    expect(screen).toContain('It is paid back.')
    expect(code).toBe(0)
    expect(refunds()).toBe('A-17\n')
  })

  it('takes anything else for a no, and "later" for leaving it open', async () => {
    const refused = await inTerminal(['run', REFUND, 'Refund order A-17.'], when(/Approve\?/, '\r'))
    expect(refused.code).toBe(0)
    const later = await inTerminal(['run', REFUND, 'Refund order A-17.'], when(/Approve\?/, 'later\r'))
    expect(later.code).toBe(4)
    expect(later.screen).toContain('mandate resume')
    expect(refunds()).toBe('')
  })

  it('suspends durably at the first Ctrl-C, and the run can be resumed', async () => {
    const { code, screen } = await inTerminal(['run', SLOW, 'Wait.'], when(/turn 2/, '\u0003'))
    expect(code).toBe(130)
    const run = /mandate resume (\S+)/.exec(screen)![1]!
    expect(mandate('show', run).out).toContain('suspended (interrupt)')
    expect(mandate('cancel', run)).toMatchObject({ code: 0 })
  })

  it('uses colour on a terminal, and none when NO_COLOR asks for that', async () => {
    const escape = '\u001B['
    expect((await inTerminal(['verify', 'nope'])).screen).toContain(escape)
    expect((await inTerminal(['verify', 'nope'], undefined, { NO_COLOR: '1' })).screen).not.toContain(escape)
  })

  it.each([['--help'], ['runs'], ['inbox'], ['doctor']])(
    '`mandate %s` works in a terminal as in a pipe',
    async (word) => {
      expect((await inTerminal([word])).screen.replaceAll('\r', '')).toBe(mandate(word).out)
    },
  )
})
