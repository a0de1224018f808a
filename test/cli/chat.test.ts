import { spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT, commandLine, environment, mandate, mandatePiped, store, useOwnFolder } from './mandate.fixture.ts'
import type { Said } from './mandate.fixture.ts'
import { script, typedInTerminal } from './terminal.fixture.ts'

useOwnFolder()

const HOST = 'test/cli/fixtures/chat-host.ts'

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

/** The same without a process of its own. */
function said(input: string, ...words: string[]): Promise<Said> {
  return mandatePiped(input, 'chat', HOST, ...words)
}

describe('mandate chat with a pipe', () => {
  it('answers line by line, says what each turn cost, and goes on later in another process', () => {
    const first = piped('one\ntwo \\\nmore\n', '--session', 'c1')
    expect(first).toMatchObject({ code: 0, out: 'You said one.\nYou said one, two \nmore.\n' })
    expect(first.notes).toMatch(/guide: \d+ tokens, \$0\.0000, run run_/)
    expect(first.notes).toContain('continue with: npx mandate chat --session c1')
    const second = piped('/cost\nthree\n', '--session', 'c1')
    expect(second.notes).toContain('2 turns')
    expect(second.out).toBe('You said one, two \nmore, three.\n')
  })

  it('refuses the id of a session of runs, of which a conversation would have nothing', async () => {
    const { out } = await mandate('run', HOST, 'one', '--json')
    const { sessionId } = JSON.parse(out) as { sessionId: string }
    const { code, notes } = await said('two\n', '--session', sessionId)
    expect(code).not.toBe(0)
    expect(notes).toContain(`"${sessionId}" is a session of runs (guide), not a conversation`)
    expect(notes).toContain(`run("guide", prompt, { sessionId: "${sessionId}" })`)
  })

  it('takes turns back, forks, and changes the agent', async () => {
    const { out, notes } = await said(
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
    expect((await said('five\n', '--session', 'c2')).out).toBe('You said one, two, five.\n')
    // A conversation keeps its agent, and so does a copy of it.
    expect((await said('six\n/fork f2\n', '--session', 'f1')).out).toBe('Roses are red.\n')
    const copy = await said('/agent\n/cost\nseven\n/agent guide\neight\n', '--session', 'f2')
    expect(copy.out).toBe('Roses are red.\nYou said one, three, four, six, seven, eight.\n')
    expect(copy.notes).toContain('* poet')
    expect(copy.notes).toContain('4 turns (4 of them copied), 0 tokens')
  })

  it('tells errors and unknown commands with the nearest one, goes on, and ends with a code', async () => {
    const { code, out, notes } = await said(
      'fail\n/cancel\n/udno\n/agent gide\n//slash\n/exit\nnever\n',
      '--session',
      'c3',
    )
    expect(code).not.toBe(0)
    expect(out).toContain('/slash.\n')
    expect(notes).toContain('error[MODEL_FAILED]')
    // The text of the error names the model already.
    expect(notes).toContain('✗ scripted/guide is down.')
    expect(notes).toContain('No turn of the conversation "c3" waits.')
    expect(notes).toContain('Did you mean /undo?')
    expect(notes).toContain('Did you mean guide?')
    expect(out).not.toContain('never')
  })

  it('waits for an approval that nobody can give, and goes on with the turn after it', async () => {
    const { code, out, notes } = await said('wipe\n', '--session', 'c4')
    expect([code, out]).toEqual([4, 'I wipe.\n'])
    const id = /mandate approve (\S+),/.exec(notes)?.[1]
    const blocked = await said('hello\n', '--session', 'c4')
    expect(blocked.notes).toContain('error[RUN_STATE]')
    // The turn that waits counts, and stays where it is.
    const aside = await said('/cost\n/undo 2\n/undo\nhello\n', '--session', 'c4')
    expect(aside.out).toBe('You said hello.\n')
    expect(aside.notes).toContain('1 turn, ')
    expect(aside.notes).toContain('There are not that many turns to undo: the conversation has 1 turn.')
    expect(aside.notes).toMatch(/1 turn undone.*c4 still has them; the turn that has not ended \(run_\w+\) stays in c4/)
    expect((await said('/fork c4b\n', '--session', 'c4')).notes).toMatch(/forked from c4; the turn that has not ended/)
    expect((await mandate('approve', id!, '--file', HOST)).code).toBe(0)
    const after = await said('/continue\nbye\n', '--session', 'c4')
    expect(after.code).toBe(0)
    expect(after.out).toContain('It is done.\n')
    expect(after.out).toContain('You said wipe, bye.\n')
  })

  it('lists conversations, and shows where one was left', async () => {
    await said('one\n', '--session', 'l1')
    await said('wipe\n', '--session', 'l2')
    const { out, notes } = await said('/list\n/open l1\ntwo\n/open nowhere\n/open\n/open l2\n')
    expect(out).toBe('You said one, two.\n')
    expect(notes).toMatch(/^\* chat_\w+ /m)
    expect(notes).toMatch(/^ {2}l1 .* one$/m)
    expect(notes).toContain('conversation l1 with guide, 1 turn\n  > one\n  You said one.\n')
    expect(notes).toContain('There is no conversation "nowhere".')
    expect(notes).toContain('/list shows them')
    expect(notes).toMatch(/conversation l2 with guide, 1 turn\n {2}> wipe\n {2}I wipe\.\nwaiting \(approval\)/)
  })

  it('shows each cell of an agent in code mode by its first line, with its calls', async () => {
    const { out, notes } = await said('/agent coder\nlook\n', '--session', 'c6')
    expect(out).toBe('I see a door.\n')
    const steps = notes.split('\n').filter((line) => line.startsWith('  →'))
    expect(steps).toEqual([
      '  → coder const seen = await tools.look({ at: 1 }) … 1 more line',
      '  → look {"at":1}',
      '  → coder answer(`I see ${seen}.`)',
    ])
  })

  it('gives every turn as one line of JSON when it is asked to', async () => {
    const { out } = await said('one\n', '--session', 'c5', '--json')
    expect(JSON.parse(out)).toMatchObject({
      conversation: 'c5',
      agent: 'guide',
      status: 'completed',
      text: 'You said one.',
    })
  })
})

describe.skipIf(script === undefined)('mandate chat at a terminal', () => {
  it('streams, asks for approvals in place, and Ctrl-C ends an answer but not the conversation', async () => {
    const screen = await typedInTerminal(
      ['chat', HOST, '--session', 't'],
      [
        [/> /, 'wipe\r'],
        [/I wipe\.[^]*Approve\?/, 'y\r'],
        [/It is done\.[^]*tokens[^]*> /, 'slow\r'],
        [/The beginning\./, '\u0003'],
        [/cancelled; the text so far is kept[^]*> /, 'and now\r'],
        [/You said wipe, slow, and now\.[^]*tokens[^]*> /, '/cost\r'],
        [/3 turns[^]*> /, '/cots\r'],
        [/Did you mean[^]*> /, '/quit\r'],
      ],
    )
    expect(screen).toContain('3 turns')
    expect(screen).toContain('continue with: npx mandate chat --session t')
    expect(screen, 'who types has seen the errors').toMatch(/exit 0$/)
    const history = join(store(), 'chat-history')
    expect(existsSync(history) && statSync(history).mode & 0o77).toBe(0)
  })
})
