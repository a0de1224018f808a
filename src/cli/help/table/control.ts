import type { CommandHelp } from '../command-help.ts'
import { CONTEXT_AGAIN, FILE_OF_AGENTS, SIGNING } from '../shared-texts.ts'

export const CONTROL_COMMANDS: Readonly<Record<string, CommandHelp>> = {
  resume: {
    theme: 'control',
    usage: '<run>',
    about: 'Continue a run after a crash, a pause or an answer',
    more: 'Recorded calls are not repeated.',
    options: {
      budget: 'new limits, instead of the recorded ones',
      context: CONTEXT_AGAIN,
      file: FILE_OF_AGENTS,
      ...SIGNING,
    },
    examples: [
      ['resume <run>', 'continue where it stopped'],
      ['resume <run> --budget money=5', 'with a higher limit'],
    ],
    words: 'run',
  },
  cancel: {
    theme: 'control',
    usage: '<run> [reason]',
    about: 'End a run, even if another process drives it',
    examples: [['cancel <run> "wrong customer"', 'with a reason for the record']],
    words: 'run',
  },
  steer: {
    theme: 'control',
    usage: '<run> <message>',
    about: 'Send a message to an agent while it works',
    more: 'The agent reads it at its next turn, in whatever process it runs.',
    examples: [['steer <run> "The customer has called: no refund."', 'read before the next model call']],
    words: 'run',
  },
  fork: {
    theme: 'control',
    usage: '<run>',
    about: 'Run again from a point, with a change',
    more: 'Creates a new run that shares the beginning of another, and runs it.',
    options: {
      at: 'the last entry to share',
      input: 'another input, as JSON: a text such as \'"Try again"\', or { prompt, history, context }',
      key: 'the effect whose result is changed, such as turn:1/tool:1',
      value: 'with --key: the result that it has instead, as JSON',
      budget: 'new limits, instead of the recorded ones',
      context: CONTEXT_AGAIN,
      file: FILE_OF_AGENTS,
      ...SIGNING,
    },
    examples: [
      ['fork <run> --at 12', 'share twelve entries, then run on from there'],
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
