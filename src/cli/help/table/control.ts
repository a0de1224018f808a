import type { CommandHelp } from '../command-help.ts'
import { FILE_OF_AGENTS, SIGNING } from '../shared-texts.ts'

export const CONTROL_COMMANDS: Readonly<Record<string, CommandHelp>> = {
  resume: {
    theme: 'control',
    usage: '<run>',
    about: 'Continue a run after a crash, a pause or an answer',
    more: 'Recorded calls are not made again.',
    options: { budget: 'limits instead of the recorded ones', file: FILE_OF_AGENTS, ...SIGNING },
    examples: [
      ['resume <run>', 'go on where it stopped'],
      ['resume <run> --budget money=5', 'with a higher limit'],
    ],
    words: 'run',
  },
  cancel: {
    theme: 'control',
    usage: '<run> [reason]',
    about: 'End a run, also one that another process drives',
    examples: [['cancel <run> "wrong customer"', 'with a reason for the record']],
    words: 'run',
  },
  steer: {
    theme: 'control',
    usage: '<run> <message>',
    about: 'Tell an agent something while it works',
    more: 'It reads the text at its next turn, in whatever process it is driven.',
    examples: [['steer <run> "The customer has called: no refund."', 'heard before the next call of the model']],
    words: 'run',
  },
  fork: {
    theme: 'control',
    usage: '<run>',
    about: 'Run again from a point, with something changed',
    more: 'Makes a new run that shares the beginning of another, and runs it.',
    options: {
      at: 'the last entry to share',
      input: 'another input: a prompt in quotes, or { prompt, history, context }',
      key: 'the effect whose result is changed, such as turn:1/tool:1',
      value: 'with --key: what the effect gave instead, as JSON',
      budget: 'limits instead of the recorded ones',
      file: FILE_OF_AGENTS,
      ...SIGNING,
    },
    examples: [
      ['fork <run> --at 12', 'share twelve entries, then go on anew'],
      ['fork <run> --input \'"Try again"\'', 'the same agent, another prompt'],
      ['fork <run> --key turn:1/tool:1 --value \'{"stock":0}\'', 'as if a tool had answered differently'],
    ],
    words: 'run',
  },
  replay: {
    theme: 'control',
    usage: '<run>',
    about: 'Execute a run again from its journal, without effects',
    options: { file: FILE_OF_AGENTS },
    examples: [['replay <run>', 'identical, or the first difference (exit code 7)']],
    words: 'run',
  },
}
