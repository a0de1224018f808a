import type { CommandHelp } from '../command-help.ts'
import { SIGNING } from '../shared-texts.ts'

export const PEOPLE_COMMANDS: Readonly<Record<string, CommandHelp>> = {
  inbox: {
    theme: 'people',
    usage: '',
    about: 'List requests that wait for a person, oldest first',
    options: { limit: 'how many (default: 100)' },
    examples: [['inbox', 'approvals, questions, and calls in doubt']],
  },
  approve: {
    theme: 'people',
    usage: '<approval>...',
    about: 'Approve waiting calls',
    more: 'An approval covers exactly the call that was shown. The call is made when its run is resumed.',
    options: {
      scope: 'once, run (every call of the tool in this run) or rule (in all runs)',
      edit: 'the input that runs instead; it must fit the schema of the tool',
      until: 'when a scope of run or rule ends (default and maximum for rule: 30 days)',
      only: 'members that the input must have under a scope of run or rule, such as {"to":"ana"}',
      reason: 'why, for the record',
      ...SIGNING,
    },
    examples: [
      ['approve <approval>', 'this call, once'],
      ['approve <approval> --edit \'{"amount":20}\'', 'with another input'],
      ['approve <approval> --scope rule --until 7d', 'every call that the same rules ask about, for a week'],
    ],
    words: 'approval',
  },
  deny: {
    theme: 'people',
    usage: '<approval> [reason]',
    about: 'Deny a waiting call; it never runs',
    options: SIGNING,
    examples: [['deny <approval> "too much"', 'the model is told the reason']],
    words: 'approval',
  },
  answer: {
    theme: 'people',
    usage: '<approval> <value>',
    about: 'Answer a question, or tell what happened to a call',
    more: 'For a call in doubt, the value is `happened [json]`, `not-happened` or `unknown`.',
    options: SIGNING,
    examples: [
      ['answer <approval> blue', 'a question of an agent'],
      ['answer <approval> not-happened', 'a call that a crash interrupted'],
    ],
    words: 'approval',
  },
  approvals: {
    theme: 'people',
    usage: '',
    about: 'List the approvals that apply to all runs',
    options: { all: 'also those that have ended', ...SIGNING },
    examples: [['approvals --all', 'with those that have ended']],
  },
  revoke: {
    theme: 'people',
    usage: '<approval> [reason]',
    about: 'End an approval that applies to all runs',
    options: SIGNING,
    examples: [['revoke <approval> "he left"', 'from the next call on, in every process']],
    words: 'approval',
  },
}
