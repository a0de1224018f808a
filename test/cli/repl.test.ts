import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findProgram } from '../requirements.ts'
import { ROOT, commandLine, environment, store, useOwnFolder } from './mandate.fixture.ts'

useOwnFolder()

const HOST = ['--file', 'test/cli/fixtures/repl-host.ts']
const script = findProgram({ program: 'script', aptPackage: 'bsdutils', neededFor: 'the cells of a pseudo-terminal' })

/** What the command says to cells from a pipe. */
function piped(input: string, ...words: string[]): { code: number | null; out: string; notes: string } {
  const [program, ...rest] = commandLine(['repl', ...words, ...HOST])
  const { status, stdout, stderr } = spawnSync(program!, rest, {
    cwd: ROOT,
    env: environment(),
    input,
    encoding: 'utf8',
  })
  return { code: status, out: stdout, notes: stderr }
}

describe('mandate repl with a pipe', () => {
  it('evaluates cells as soon as they are whole, calls tools and the model, and goes on later', () => {
    const cells = [
      'const rows = await tools.find({ name: "tea" })',
      'function size(list) {',
      '  return list.length',
      '}',
      'print(size(rows))',
      'await model_query({ prompt: "What is tea?" })',
    ]
    const first = piped(`${cells.join('\n')}\n`, 's1')
    expect(first).toMatchObject({ code: 0, out: "2\n'A short answer.'\n" })
    expect(first.notes).toContain('go on with: mandate repl s1')
    const second = piped('size(rows) + 1\n:vars\n:cells\n:undo 2\n:cost\nrows\n', 's1')
    expect(second.out).toContain('3\n')
    expect(second.notes).toContain('size  [Function: size]')
    expect(second.notes).toContain('2 cells undone')
    expect(second.notes).toContain('1 model call, 1 tool call')
  })

  it('saves cells, loads them into another session, and forks', () => {
    const file = join(store(), 'cells.js')
    piped(`let a = 1\na += 1\n:save ${file}\n`, 'one')
    expect(readFileSync(file, 'utf8')).toContain('a += 1')
    const other = piped(`:load ${file}\na\n:fork three\na = 10\na\n`, 'two')
    expect(other.out).toBe('2\n2\n10\n10\n')
    expect(other.notes).toContain('2 of 2 cells')
    expect(piped('a\n', 'two').out).toBe('2\n')
    expect(piped('a\n', 'three').out).toBe('10\n')
  })

  it('tells errors and unknown commands with the nearest one, goes on, and ends with a code', () => {
    const { code, out, notes } = piped('nope\n:vras\n1 + 1\n')
    expect(code).toBe(1)
    expect(out).toBe('2\n')
    expect(notes).toContain('`nope` is not defined')
    expect(notes).toContain('Did you mean :vars?')
  })

  it('gives every cell as one line of JSON when it is asked to', () => {
    const { out } = piped('print(1)\n[2]\n', 's', '--json')
    const lines = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object)
    expect(lines).toMatchObject([
      { cell: 1, stdout: '1\n' },
      { cell: 2, value: [2] },
    ])
  })

  it('a cell that needs an approval waits, and is gone on with after it', () => {
    const { code, notes } = piped('await tools.wipe({})\n', 'w')
    expect(code).toBe(4)
    const id = /mandate approve (\S+),/.exec(notes)?.[1]
    const [program, ...rest] = commandLine(['approve', id!, ...HOST])
    expect(spawnSync(program!, rest, { cwd: ROOT, env: environment() }).status).toBe(0)
    expect(piped(':resume\n', 'w').notes).toContain('the cell is completed')
  })
})

describe.skipIf(script === undefined)('mandate repl at a terminal', () => {
  /** Types each part when the screen shows what it waits for. */
  function typed(parts: readonly (readonly [RegExp, string])[]): Promise<string> {
    const line = commandLine(['repl', 't', ...HOST])
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

  it('takes cells of several lines, asks for approvals in place, and Ctrl-C ends a cell but not the session', async () => {
    const screen = await typed([
      [/> /, 'const f = (x) => {\r'],
      [/\. /, 'return x * 2 }\r'],
      [/> /, 'f(21)\r'],
      [/42[^]*> /, 'await tools.wipe({})\r'],
      [/Approve\?/, 'y\r'],
      [/wiped[^]*> /, 'print(30 + 3); while (true) {}\r'],
      [/33/, '\u0003'],
      [/error\[CANCELLED\][^]*> /, 'while (true) {}\r\u0003'],
      [/error\[CANCELLED\][^]*> /, 'f(4)\r'],
      [/8[^]*> /, ':quit\r'],
    ])
    expect(screen).toContain('42')
    expect(screen).toContain("'wiped'")
    expect(screen).toContain('go on with: mandate repl t')
    const history = join(store(), 'repl-history')
    expect(existsSync(history) && statSync(history).mode & 0o77).toBe(0)
  })
})
