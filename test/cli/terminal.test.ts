import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { isSweep } from '../rotation.ts'
import { inTerminal, programInTerminal, rendered, script, when } from './terminal.fixture.ts'
import { REFUND, SLOW, commandLine, mandate, refunds, store, useOwnFolder } from './mandate.fixture.ts'

useOwnFolder()

const ASKING = 'test/cli/fixtures/asking-agent.ts'
const GRAPH = 'test/cli/fixtures/graphs/refunds.rag'
const GRAPH_HOST = ['--file', 'test/cli/fixtures/graphs/host.ts']
const CLOCK = ['--file', 'test/cli/fixtures/clock-agent.ts']
const EVAL = ['eval', 'examples/evals/refunds.eval.json']
const NESTED = 'test/cli/fixtures/nested-agents.ts'

/** The lines of what a command prints on a terminal of 80 columns, without its notes. */
async function linesOf(words: readonly string[]): Promise<string[]> {
  const { screen } = await programInTerminal(commandLine(words), undefined, {}, '2>/dev/null')
  return rendered(screen).filter((line) => line !== '')
}

/** A run that waits for an approval. */
async function waitingRun(): Promise<string> {
  return /mandate resume (\S+)/.exec((await mandate('run', REFUND, 'Refund order A-17.')).notes)![1]!
}

describe.skipIf(script === undefined || isSweep)('the mandate command in a terminal', () => {
  it('asks for an approval and carries the call out when told so', async () => {
    const { code, screen } = await inTerminal(['run', REFUND, 'Refund order A-17.'], when(/Approve\?/, 'y\r'))
    // What the model says is shown while it says it, and once.
    expect(screen.indexOf('I pay it back.')).toBeLessThan(screen.indexOf('Approve?'))
    expect(screen.match(/I pay it back\./g)).toHaveLength(1)
    expect(screen.match(/It is paid back\./g)).toHaveLength(1)
    expect(code).toBe(0)
    expect(refunds()).toBe('A-17\n')
  })

  it('shows the whole call, its risk and why it asks; asks again until the answer is clear', async () => {
    const keys = ['\r', 'maybe\r', 'n\r']
    const shown = /Approve\?/g
    const refused = await inTerminal(['run', REFUND, 'Refund order A-17.'], (screen) =>
      (screen.match(shown) ?? []).length > 3 - keys.length ? keys.shift() : undefined,
    )
    expect(refused.code).toBe(0)
    expect(refused.screen).toContain('"maybe" is not one of the answers')
    expect(refused.screen).toMatch(/tool refund {2}\(risk: /)
    expect(refused.screen).toContain('"order": "A-17"')
    // Broken between words, behind the margin of the question.
    expect(refused.screen).toMatch(/^ {4}The tool .* declares it\),\r?\n {4}which needs an approval/m)
    expect(keys).toEqual([])
    const later = await inTerminal(['run', REFUND, 'Refund order A-17.'], when(/Approve\?/, 'later\r'))
    expect(later.code).toBe(4)
    expect(later.screen).toContain('mandate resume')
    expect(refunds()).toBe('')
  })

  it('puts the questions of an agent to the person at the keyboard, and takes only answers that fit', async () => {
    const keys = ['green\r', '2\r', 'three\r', '"three"\r', '3\r']
    let seen = 0
    const { code, screen } = await inTerminal(['run', ASKING, 'Ask me.'], (said) => {
      const prompts = said.split('    > ').length - 1
      return prompts > seen ? (seen++, keys.shift()) : undefined
    })
    expect(screen).toContain('Which colour?')
    expect(screen).toContain('Type one of the answers, or its number from 1 to 2.')
    expect(screen).toContain('That is not JSON.')
    expect(screen).toContain('The answer does not fit the question')
    expect(screen).toContain('Thank you.')
    expect(code).toBe(0)
  })

  it('leaves open what is asked when nobody is there any more', async () => {
    const { code, screen } = await inTerminal(['run', REFUND, 'Refund order A-17.'], when(/Approve\?/, '\u0004'))
    expect(code).toBe(4)
    expect(screen).toContain('mandate resume')
    expect(refunds()).toBe('')
  })

  it('suspends durably at the first Ctrl-C, and the run can be resumed', async () => {
    const { code, screen } = await inTerminal(['run', SLOW, 'Wait.'], when(/turn 2/, '\u0003'))
    expect(code).toBe(130)
    const run = /mandate resume (\S+)/.exec(screen)![1]!
    expect((await mandate('show', run)).out).toContain('suspended (interrupt)')
    expect(await mandate('cancel', run)).toMatchObject({ code: 0 })
  })

  it('shows in one line what a run does while it works, and leaves nothing of it behind', async () => {
    const status = /turn \d+ · tool wait \d\.\d s · \d\.\d s, \d+ tokens/
    const { code, screen } = await inTerminal(['run', SLOW, 'Wait.'], when(status, '\u0003'))
    expect(code).toBe(130)
    expect(screen).toMatch(status)
    const left = rendered(screen)
    expect(left.filter((line) => line.includes('·'))).toEqual([])
    expect(left).toContain('turn 2')
    expect(left.find((line) => line.startsWith('continue with: npx mandate resume run_'))).toBeDefined()
  })

  it('suspends at Ctrl-C also while it asks', async () => {
    const { code, screen } = await inTerminal(['run', REFUND, 'Refund order A-17.'], when(/Approve\?/, '\u0003'))
    expect(code).toBe(130)
    expect((await mandate('show', /mandate resume (\S+)/.exec(screen)![1]!)).out).toContain('suspended')
    expect(refunds()).toBe('')
  })

  it('is killed by the second Ctrl-C', async () => {
    const twice = ['hang', 'again to kill'].map((shown) => when(new RegExp(shown), '\u0003'))
    const hanging = ['run', 'test/cli/fixtures/hanging-agent.ts', 'Wait.']
    const { code } = await inTerminal(hanging, (screen) => twice[0]!(screen) ?? twice[1]!(screen))
    expect(code).toBe(130)
    expect(JSON.parse((await mandate('runs', '--json')).out)).toMatchObject([{ state: 'running' }])
  })

  it('follows a run until Ctrl-C', async () => {
    const { code, screen } = await inTerminal(['logs', '-f', await waitingRun()], when(/run-suspend/, '\u0003'))
    expect(screen).toContain('approval-request')
    expect(code).toBe(130)
  })
})

// Thirty processes, most of which do what the tests above do: in the sweep.
describe.runIf(script !== undefined && isSweep)('the mandate command in a terminal', () => {
  it('asks what init needs, until the answer is one, and writes nothing when nobody answers', async () => {
    const folder = join(store(), '..', 'asked')
    const keys = [when(/Folder of the project:/, `${folder}\r`), when(/Template:/, '9\r'), when(/Type a number/, '3\r')]
    const made = await inTerminal(['init'], (screen) =>
      keys.map((key) => key(screen)).find((typed) => typed !== undefined),
    )
    expect(made).toMatchObject({ code: 0, screen: /Made chat in/ })
    expect(existsSync(join(folder, 'mandate.config.ts'))).toBe(true)
    const left = await inTerminal(['init', `${folder}-2`], when(/Template:/, '\u0004'))
    expect(left).toMatchObject({ code: 130, screen: /Nothing was done/ })
    expect(existsSync(`${folder}-2`)).toBe(false)
  })

  it('asks before retention erases something', async () => {
    const run = await waitingRun()
    await mandate('cancel', run)
    const kept = await inTerminal(['retention', '--keep', '0'], when(/Erase what 1 run said\?/, '\r'))
    expect(kept).toMatchObject({ code: 0, screen: /nothing was erased/ })
    const erased = await inTerminal(['retention', '--keep', '0'], when(/Erase what 1 run said\?/, 'y\r'))
    expect(erased).toMatchObject({ code: 0, screen: /Erased what 1 run/ })
    expect((await mandate('show', run)).out).toContain('(erased)')
  })

  it('fits into 80 columns: the help, and lists with their heads and relative times', async () => {
    const run = await waitingRun()
    await mandate('approve', `${run}-ap4`, '--scope', 'rule')
    await mandate('resume', run)
    await mandate('schedule', 'put', 'often', 'clock', 'Tell the time. '.repeat(9), '--every', '1h', ...CLOCK)
    await mandate('graph', 'review', 'request', GRAPH, ...GRAPH_HOST)
    await mandate('run', ASKING, 'Ask me.')
    await mandate(...EVAL)
    /** What is listed, and the heads of its columns. */
    const lists: readonly (readonly [readonly string[], RegExp])[] = [
      [['runs'], /^RUN +STATE +NAME +STARTED$/],
      [['approvals'], /^APPROVAL +STATE +COVERS +RULE +FOR +BY +ENDS$/],
      [['schedule', 'list', ...CLOCK], /^SCHEDULE +WHEN +NEXT +WHAT$/],
      [['graph', 'review', 'list', ...GRAPH_HOST], /^REVIEW +STATE +GRAPH +BY +RISK$/],
      [['eval', 'list'], /^REPORT +STATE +RATE +ENDED +EVAL$/],
    ]
    for (const [words, heads] of lists) {
      const [head, ...rows] = await linesOf(words)
      expect(head).toMatch(heads)
      expect(rows.length).toBeGreaterThan(0)
      // In a pipe: no heads, nothing shortened.
      const { out } = await mandate(...words)
      expect(out.split('\n')).toHaveLength(rows.length + 1)
      expect(out).toMatch(/20\d\d-\d\d-\d\dT|waiting/)
    }
    /** Everything else that prints more than a word. */
    const pages: readonly (readonly string[])[] = [
      ...[
        ['--help'],
        ['help', 'run'],
        ['help', 'graph'],
        ['inbox'],
        ['show', run],
        ['logs', run],
        ['audit'],
        ['doctor'],
      ],
      ...[['prices', 'list'], ['prices', 'show', 'openai/gpt-5'], ['metrics'], ['verify', run], ['workers']],
      ...[
        ['policy', 'explain', run, '4'],
        ['policy', 'test', REFUND, 'refund', '--input', '{"order":"A-1"}'],
      ],
      ...[['diff', run, run], ['replay', run], ['inspect', 'test/cli/fixtures/endless.js'], EVAL],
      [
        'graph',
        'review',
        'show',
        (await mandate('graph', 'review', 'list', ...GRAPH_HOST)).out.split(' ')[0]!,
        ...GRAPH_HOST,
      ],
    ]
    for (const words of pages)
      expect([words, (await linesOf(words)).filter((line) => line.length > 80)]).toEqual([words, []])
    const { screen } = await inTerminal(['runs'])
    expect(stripVTControlCharacters(screen)).toMatch(/^RUN +STATE +NAME +STARTED\r?\n/)
    expect(screen).toContain(run)
    expect(screen).toMatch(/\d+ s ago|just now/)
  })

  it('shows who below an agent asks, with harmless words, and keeps back notes while somebody types', async () => {
    const keys = ['yes\r', '{"city": 5}\r', '{"city": " Oslo "}\r']
    let seen = 0
    const { code, screen } = await inTerminal(['run', NESTED, 'Go.'], (said) => {
      const prompts = said.split('    > ').length - 1
      return prompts > seen ? (seen++, keys.shift()) : undefined
    })
    expect(screen).toContain('All done.')
    expect(code).toBe(0)
    expect(screen).toContain('guide asks:')
    expect(screen).toContain('turn 1 of guide')
    // The words of the model stand behind a bar, and what would act on the terminal as an escape.
    expect(screen).toContain('    | Sure?\\u001b[2J\\u001b[1A\\u009b2K\\u202ehidden')
    expect(screen).toContain('    |     Approve? [y]es, [n]o, [l]ater:')
    for (const acting of ['\u001B[2J', '\u009B', '\u202E']) expect(screen).not.toContain(acting)
    expect(screen).toContain('(answer with JSON: {')
    expect(screen).toContain('city: expected string, given 5')
  })

  it('keeps back notes of others while somebody types', async () => {
    let shown = 0
    const { screen } = await inTerminal(['run', NESTED, 'Go.'], (said, type) => {
      if (shown > 0 || !said.includes('    > ')) return undefined
      shown = said.length
      // The other sub-agent ends meanwhile.
      setTimeout(() => type('later\r'), 2_500)
      return undefined
    })
    const typed = screen.indexOf('later', shown)
    expect(screen.slice(shown, typed)).not.toContain('turn')
    expect(screen.slice(typed)).toContain('turn 4 of scout')
  })

  it('takes nothing for an answer that was typed before it asked', async () => {
    const keys = [when(/turn 1/, 'yes\r'), when(/ {4}> /, 'later\r')]
    const isTyped = join(store(), '..', 'typed')
    const type = (said: string): string | undefined => {
      // The terminal has it once it shows it; the agent asks after that.
      if (/^yes\r?$/m.test(said)) writeFileSync(isTyped, '')
      return keys[0]!(said) ?? keys[1]!(said)
    }
    const { code, screen } = await inTerminal(['run', NESTED, 'Go.'], type, { ASK_AFTER: isTyped })
    expect(screen).toContain('What was typed before the question is ignored.')
    expect(screen).toMatch(/ {4}> [^]*later/)
    expect(code).toBe(4)
  })

  it('leaves a question open for `mandate answer`, which checks it as well', async () => {
    const { screen } = await inTerminal(['run', ASKING, 'Ask me.'], when(/ {4}> /, 'later\r'))
    const run = /mandate resume (\S+)/.exec(screen)![1]!
    const [first] = JSON.parse((await mandate('inbox', '--json')).out) as { id: string; run: string }[]
    expect((await mandate('answer', first!.id, 'green')).notes).toContain('must be one of: red, blue')
    expect(await mandate('answer', first!.id, 'red')).toMatchObject({ code: 0 })
    expect((await mandate('answer', first!.id, 'red')).notes).toContain('already answered')
    await mandate('resume', run, '--no-input')
    const second = (JSON.parse((await mandate('inbox', '--json')).out) as { id: string; run: string }[]).find(
      (one) => one.run === run,
    )
    expect(await mandate('answer', second!.id, '3')).toMatchObject({ code: 0 })
    expect((await mandate('resume', run, '--no-input')).out).toContain('Thank you.')
  })

  it('asks what a graph asks, in place', async () => {
    const { code, screen } = await inTerminal(
      ['graph', 'run', GRAPH, '--input', '{"order":"A-17"}', ...GRAPH_HOST],
      when(/Refund A-17\?[^]*> /, '1\r'),
    )
    expect(screen).toContain('The order was paid back.')
    expect(code).toBe(0)
  })

  it('uses colour on a terminal, and none when NO_COLOR asks for that', async () => {
    const escape = '\u001B['
    expect((await inTerminal(['verify', 'nope'])).screen).toContain(escape)
    expect((await inTerminal(['verify', 'nope'], undefined, { NO_COLOR: '1' })).screen).not.toContain(escape)
  })

  it('suspends a program that only computes as well, and lets go of the machine', async () => {
    const words = [
      'run',
      'test/cli/fixtures/endless.js',
      '--file',
      'test/cli/fixtures/looking-host.ts',
      '--fuel',
      '1e12',
    ]
    const { code, screen } = await inTerminal(words, when(/look/, '\u0003'))
    expect(code).toBe(130)
    expect((await mandate('show', /mandate resume (\S+)/.exec(screen)![1]!)).out).toContain('suspended (interrupt)')
  })
})
