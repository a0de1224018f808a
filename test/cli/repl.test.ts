import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT, commandLine, environment, mandate, mandatePiped, store, useOwnFolder } from './mandate.fixture.ts'
import type { Said } from './mandate.fixture.ts'
import { script, typedInTerminal } from './terminal.fixture.ts'

useOwnFolder()

const HOST = ['--file', 'test/cli/fixtures/repl-host.ts']

/** What the command says to cells from a pipe. */
function piped(input: string, ...words: string[]): Said {
  const [program, ...rest] = commandLine(['repl', ...words, ...HOST])
  const { status, stdout, stderr } = spawnSync(program!, rest, {
    cwd: ROOT,
    env: environment(),
    input,
    encoding: 'utf8',
  })
  return { code: status, out: stdout, notes: stderr }
}

/** The same without a process of its own. */
function said(input: string, ...words: string[]): Promise<Said> {
  return mandatePiped(input, 'repl', ...words, ...HOST)
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
    expect(first.notes).toContain('continue with: npx mandate repl s1')
    const second = piped('size(rows) + 1\n:vars\n:cells\n:undo 2\n:cost\nrows\n', 's1')
    expect(second.out).toContain('3\n')
    expect(second.notes).toContain('size  [Function: size]')
    expect(second.notes).toContain('2 cells undone')
    expect(second.notes).toContain('1 model call, 1 tool call')
  })

  it('saves cells, loads them into another session, and forks', async () => {
    const file = join(store(), 'cells.js')
    await said(`let a = 1\na += 1\n:save ${file}\n`, 'one')
    expect(readFileSync(file, 'utf8')).toContain('a += 1')
    const other = await said(`:load ${file}\na\n:fork three\na = 10\na\n`, 'two')
    expect(other.out).toBe('2\n2\n10\n10\n')
    expect(other.notes).toContain('2 of 2 cells')
    expect((await said('a\n', 'two')).out).toBe('2\n')
    expect((await said('a\n', 'three')).out).toBe('10\n')
  })

  it('tells errors and unknown commands with the nearest one, goes on, and ends with a code', async () => {
    const { code, out, notes } = await said('nope\n:vras\n1 + 1\n')
    expect(code).toBe(1)
    expect(out).toBe('2\n')
    expect(notes).toContain('`nope` is not defined')
    expect(notes).toContain('Did you mean :vars?')
  })

  it('goes on after a file that is there already or is not there', async () => {
    const file = join(store(), 'cells.js')
    const { code, out, notes } = await said(`1\n:save ${file}\n:save ${file}\n:load ${file}.nope\n1 + 1\n`)
    expect({ code, out }).toEqual({ code: 1, out: '1\n2\n' })
    expect(notes).toMatch(/EEXIST[^]*Name another file[^]*ENOENT/)
  })

  it.each([
    ['{ a: 1, b: 2 }', '{ a: 1, b: 2 }\n'],
    ['{a:1}', '{ a: 1 }\n'],
    ['{}', '{}\n'],
    ['{ const a = 1; print(a) }', '1\n'],
    ['{\n  a: 1,\n  b: { c: 2 }\n}', '{ a: 1, b: { c: 2 } }\n'],
    ['{ a: 1,\n  b: 2 }', '{ a: 1, b: 2 }\n'],
    ['{\n  const a = 1\n  print(a)\n}', '1\n'],
    ['new Map([["a", 1]])', 'Map(1) {"a" => 1}\n'],
    ['new Set([1, NaN])', 'Set(2) {1,NaN}\n'],
    ['new Date(0)', '1970-01-01T00:00:00.000Z\n'],
    ['NaN', 'NaN\n'],
    ['Symbol("s")', 'Symbol(s)\n'],
    ['[1, { n: -Infinity, f: () => 1 }]', '[1,{"n":-Infinity,"f":[Function: f]}]\n'],
  ])('reads %s as a person means it', async (source, out) => {
    expect((await said(`${source}\n`)).out).toBe(out)
  })

  it('gives every cell as one line of JSON when it is asked to', async () => {
    const { out } = await said('print(1)\n[2]\n', 's', '--json')
    const lines = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object)
    expect(lines).toMatchObject([
      { cell: 1, stdout: '1\n' },
      { cell: 2, value: [2] },
    ])
  })

  it('a cell that needs an approval waits, and is gone on with after it', async () => {
    const { code, notes } = await said('const gone = await tools.wipe({}); answer("all of it"); gone\n', 'w')
    expect(code).toBe(4)
    const id = /mandate approve (\S+)/.exec(notes)?.[1]
    expect(notes).toContain('then :resume')
    expect((await mandate('approve', id!, ...HOST)).code).toBe(0)
    const resumed = await said(':resume\n', 'w')
    expect(resumed.out).toBe("'wiped'\n")
    expect(resumed.notes).toMatch(/answer all of it[^]*the cell is completed/)
  })

  it('a cell that sleeps for long says until when, and the terminal names its own commands', async () => {
    const { notes, out } = await said('await sleep(1e8)\n1 + 1\n:cancel\n1 + 1\n')
    expect(notes).toMatch(/waiting until \d{4}-\S+: then :resume goes on with it; :cancel ends it/)
    expect(notes).toContain('A cell waits. :resume goes on with it, :cancel ends it.')
    expect(notes).not.toContain('mandate approve')
    expect(out).toBe('2\n')
  })
})

describe('mandate repl for an agent', () => {
  const AGENTS = ['--file', 'test/cli/fixtures/repl-agents.ts']

  it('gives cells the tools of the agent, its model, and its mandate', async () => {
    const cells = 'await tools.stock({})\nawait model_query({ prompt: "x" })\nawait tools.order({})\n'
    const { out, notes } = await mandatePiped(cells, 'repl', 's', '--agent', 'buyer', ...AGENTS)
    expect(out).toBe("7\n'I buy.'\n")
    expect(notes).toMatch(/with the tools and the mandate of buyer[^]*error\[DENIED\]/)
    const clerk = await mandatePiped(cells, 'repl', 's2', '--agent', 'clerk', ...AGENTS)
    expect(clerk.out).toBe("'I write.'\n")
    expect(clerk.notes).toContain('There is no tool `stock`')
  })

  it('without a name means the only agent, and with several none', async () => {
    const one = await mandatePiped('await tools.stock({})\n', 'repl', 's', '--file', 'test/cli/fixtures/repl-agent.ts')
    expect(one.out).toBe('7\n')
    const several = await mandatePiped('await tools.stock({})\n', 'repl', 's', ...AGENTS)
    expect(several.notes).toMatch(/There is no tool `stock`/)
  })

  it('refuses a name that the project does not have, with the nearest one', async () => {
    const { code, notes } = await mandatePiped('1\n', 'repl', 's', '--agent', 'byer', ...AGENTS)
    expect(code).toBe(2)
    expect(notes).toContain('Did you mean "buyer"?')
  })
})

describe.skipIf(script === undefined)('mandate repl at a terminal', () => {
  it('takes cells of several lines, asks for approvals in place, and Ctrl-C ends a cell but not the session', async () => {
    const screen = await typedInTerminal(
      ['repl', 't', ...HOST],
      [
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
      ],
    )
    expect(screen).toContain('42')
    expect(screen).toContain("'wiped'")
    expect(screen).toContain('continue with: npx mandate repl t')
    expect(screen, 'who types has seen the errors').toMatch(/exit 0$/)
    const history = join(store(), 'repl-history')
    expect(existsSync(history) && statSync(history).mode & 0o77).toBe(0)
  })

  it('completes tools, shows how one is called without changing the line, and names what was thrown and where', async () => {
    const screen = await typedInTerminal(
      ['repl', 't', ...HOST],
      [
        [/> /, 'await tools.fi'],
        [/tools\.fi/, '\t'],
        [/nd/, '(\t'],
        [/\(/, '\t'],
        [/tools\.find\(\{ name: string \}\): Promise<any>/, '{ name: "oolong" })\r'],
        [/oolong'[^\n]*6/, 'const f = () => 1\nf.a.b\r'],
        [/TypeError:\S* Cannot read properties of undefined \(reading 'b'\) \(line 1, column 1\)/, ':quit\r'],
      ],
      'xterm',
    )
    expect(screen).toMatch(/exit 0$/)
  })
})
