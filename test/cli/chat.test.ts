import { spawn, spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findProgram } from '../requirements.ts'
import { ROOT, commandLine, environment, store, useOwnFolder } from './mandate.fixture.ts'

useOwnFolder()

const HOST = 'test/cli/fixtures/chat-host.ts'
const script = findProgram({ program: 'script', aptPackage: 'bsdutils', neededFor: 'the chat at a pseudo-terminal' })

interface Said {
  readonly code: number | null
  readonly out: string
  readonly notes: string
}

/** What the command says to messages from a pipe. */
function piped(input: string, ...words: string[]): Said {
  const [program, ...rest] = commandLine(['chat', HOST, ...words])
  const { status, stdout, stderr } = spawnSync(program!, rest, {
    cwd: ROOT,
    env: environment(),
    input,
    encoding: 'utf8',
  })
  return { code: status, out: stdout, notes: stderr }
}

describe('mandate chat with a pipe', () => {
  it('answers line by line, says what each turn cost, and goes on later in another process', () => {
    const first = piped('one\ntwo \\\nmore\n', '--session', 'c1')
    expect(first).toMatchObject({ code: 0, out: 'You said one.\nYou said one, two \nmore.\n' })
    expect(first.notes).toMatch(/guide: \d+ tokens, \$0\.0000, run run_/)
    expect(first.notes).toContain('go on with: mandate chat --session c1')
    const second = piped('/cost\nthree\n', '--session', 'c1')
    expect(second.notes).toContain('2 turns')
    expect(second.out).toBe('You said one, two \nmore, three.\n')
  })

  it('takes turns back, forks, and changes the agent', () => {
    const { out, notes } = piped(
      'one\ntwo\n/undo\nthree\n/fork f1\n/agent poet\nfour\n/agent\n/help\n',
      '--session',
      'c2',
    )
    expect(out).toBe('You said one.\nYou said one, two.\nYou said one, three.\nRoses are red.\n')
    expect(notes).toContain('1 turn undone')
    expect(notes).toContain('conversation f1, forked from')
    expect(notes).toContain('* poet')
    expect(notes).toContain('/undo [n]')
    // What was taken back stays where it was.
    expect(piped('five\n', '--session', 'c2').out).toBe('You said one, two, five.\n')
    // A conversation keeps its agent; the one that was forked had answers of both.
    expect(piped('six\n', '--session', 'f1').out).toBe('You said one, three, four, six.\n')
  })

  it('tells errors and unknown commands with the nearest one, goes on, and ends with a code', () => {
    const { code, out, notes } = piped('fail\n/udno\n/agent gide\n//slash\n', '--session', 'c3')
    expect(code).not.toBe(0)
    expect(out).toContain('/slash.\n')
    expect(notes).toContain('error[MODEL_FAILED]')
    expect(notes).toContain('Did you mean /undo?')
    expect(notes).toContain('Did you mean guide?')
  })

  it('waits for an approval that nobody can give, and goes on with the turn after it', () => {
    const { code, out, notes } = piped('wipe\n', '--session', 'c4')
    expect([code, out]).toEqual([4, 'I wipe.\n'])
    const id = /mandate approve (\S+),/.exec(notes)?.[1]
    const blocked = piped('hello\n', '--session', 'c4')
    expect(blocked.notes).toContain('error[RUN_STATE]')
    const [program, ...rest] = commandLine(['approve', id!, '--file', HOST])
    expect(spawnSync(program!, rest, { cwd: ROOT, env: environment() }).status).toBe(0)
    const after = piped('/continue\nbye\n', '--session', 'c4')
    expect(after.code).toBe(0)
    expect(after.out).toContain('It is done.\n')
    expect(after.out).toContain('You said wipe, bye.\n')
  })

  it('gives every turn as one line of JSON when it is asked to', () => {
    const { out } = piped('one\n', '--session', 'c5', '--json')
    expect(JSON.parse(out)).toMatchObject({
      conversation: 'c5',
      agent: 'guide',
      status: 'completed',
      text: 'You said one.',
    })
  })
})

describe.skipIf(script === undefined)('mandate chat at a terminal', () => {
  /** Types each part when the screen shows what it waits for. */
  function typed(parts: readonly (readonly [RegExp, string])[]): Promise<string> {
    const line = commandLine(['chat', HOST, '--session', 't'])
      .map((word) => `'${word}'`)
      .join(' ')
    const child = spawn(script!, ['-qefc', line, '/dev/null'], { cwd: ROOT, env: { ...environment(), TERM: 'dumb' } })
    let screen = ''
    let next = 0
    let seen = 0
    child.stdout.on('data', (data: Buffer) => {
      screen += data.toString()
      const part = parts[next]
      if (part === undefined || !part[0].test(screen.slice(seen))) return
      seen = screen.length
      next += 1
      child.stdin.write(part[1])
    })
    return new Promise((resolve) => child.on('close', () => resolve(screen)))
  }

  it('streams, asks for approvals in place, and Ctrl-C ends an answer but not the conversation', async () => {
    const screen = await typed([
      [/> /, 'wipe\r'],
      [/I wipe\.[^]*Approve\?/, 'y\r'],
      [/It is done\.[^]*tokens[^]*> /, 'slow\r'],
      [/The beginning\./, '\u0003'],
      [/cancelled; what was written is kept[^]*> /, 'and now\r'],
      [/You said wipe, slow, and now\.[^]*tokens[^]*> /, '/cost\r'],
      [/3 turns[^]*> /, '/quit\r'],
    ])
    expect(screen).toContain('3 turns')
    expect(screen).toContain('go on with: mandate chat --session t')
    const history = join(store(), 'chat-history')
    expect(existsSync(history) && statSync(history).mode & 0o77).toBe(0)
  })
})
