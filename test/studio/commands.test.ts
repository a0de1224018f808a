import { describe, expect, it } from 'vitest'
import { command, decideAllCommand, decideCommand, policyCommand } from '../../studio/src/parts/commands.ts'
import { commandOf } from '../../studio/src/pages/run/fork-change.ts'
import { typed } from './typed-command.ts'

const REQUEST = { id: 'a-run.0123-ap7', run: 'a-run.0123' }
const RESUMED = { command: 'resume', words: ['a-run'], flags: {} }

describe('a command that the studio names', () => {
  it('approves exactly what is to be approved: the arguments as edited, how far, and why; and the run goes on', () => {
    const edit = { text: "it's $HOME; `no`", amount: 20 }
    const line = decideCommand(REQUEST, { kind: 'approve', scope: 'run', edit, reason: '-5 less than asked' })
    expect(typed(line)).toEqual([
      {
        command: 'approve',
        words: [REQUEST.id],
        flags: { scope: 'run', edit: JSON.stringify(edit), reason: '-5 less than asked' },
      },
      RESUMED,
    ])
    expect(typed(decideCommand(REQUEST, { kind: 'approve', scope: 'once' }))).toEqual([
      { command: 'approve', words: [REQUEST.id], flags: {} },
      RESUMED,
    ])
  })

  it('denies with the reason, answers with the words, and says what became of a call', () => {
    expect(typed(decideCommand(REQUEST, { kind: 'reject', reason: '--no, too much' }))).toEqual([
      { command: 'deny', words: [REQUEST.id, '--no, too much'], flags: {} },
      RESUMED,
    ])
    expect(typed(decideCommand(REQUEST, { kind: 'answer', value: 'blue & green' }))[0]).toEqual({
      command: 'answer',
      words: [REQUEST.id, 'blue & green'],
      flags: {},
    })
    expect(typed(decideCommand(REQUEST, { kind: 'settle', outcome: 'not-happened' }))[0]!.words[1]).toBe('not-happened')
  })

  it('decides several calls, and each of their runs goes on once', () => {
    const calls = [REQUEST, { ...REQUEST, id: 'a-run-ap3', run: 'a-run' }, { id: 'b-ap1', run: 'b' }]
    expect(typed(decideAllCommand(calls, 'approve', 'fine')).map(({ command: name, words }) => [name, words])).toEqual([
      ['approve', [REQUEST.id, 'a-run-ap3', 'b-ap1']],
      ['resume', ['a-run']],
      ['resume', ['b']],
    ])
    expect(typed(decideAllCommand(calls, 'reject')).map(({ command: name }) => name)).toEqual([
      'deny',
      'deny',
      'deny',
      'resume',
      'resume',
    ])
  })

  it('asks the gate about the same call, and forks with the same change', () => {
    const input = '{"to":"a b"}'
    expect(
      typed(policyCommand({ file: 'my agents.ts', tool: 'send', input, labels: 'untrusted:web, secret:x' })),
    ).toEqual([
      {
        command: 'policy',
        words: ['test', 'my agents.ts', 'send'],
        flags: { input, labels: 'untrusted:web,secret:x' },
      },
    ])
    const change = { kind: 'result', label: '', field: '', text: '1', key: 'turn:1/tool:1' } as const
    expect(typed(commandOf('a-run', change, '-1', 5))[0]).toEqual({
      command: 'fork',
      words: ['a-run'],
      flags: { at: '5', key: 'turn:1/tool:1', value: '-1' },
    })
  })

  it('takes ids that begin with a dash as ids', () => {
    expect(typed(command('diff', ['-a', 'b']))[0]!.words).toEqual(['-a', 'b'])
    expect(typed(command('cancel', ['a', 'no more']))[0]!.words).toEqual(['a', 'no more'])
  })
})
