import type { CommandHelp } from '../command-help.ts'
import { BUDGET, FILE_OF_AGENTS, SIGNING } from '../shared-texts.ts'

export const TRUST_COMMANDS: Readonly<Record<string, CommandHelp>> = {
  policy: {
    theme: 'trust',
    usage: '<test|explain> ...',
    about: 'Test or explain decisions of the gate',
    actions: [
      ['test <file> <tool>', 'how the gate would decide a call; nothing is run'],
      ['explain <run> <seq>', 'how an effect was decided, by which rule, and who answered'],
    ],
    options: { input: 'test: the input of the call', labels: 'test: the labels of the input' },
    examples: [
      ['policy test agent.ts refund --input \'{"amount":80}\'', 'exit code 3 when it is denied'],
      ['policy test rules.json send --labels untrusted:web', 'a policy in a file, an untrusted input'],
      ['policy explain <run> 4', 'entry 4 of a run'],
    ],
  },
  verify: {
    theme: 'trust',
    usage: '<run|file>',
    about: 'Check the hash chain and signature of a run',
    options: {
      public: 'check the signed head with this key',
      heads: 'signed heads that you keep elsewhere, one per line',
      all: 'every run, as `audit` does',
    },
    examples: [
      ['verify <run>', 'the chain, and that no call bypassed the gate'],
      ['verify run.jsonl --public key.pem', 'an exported file, without a store'],
    ],
    words: 'run',
  },
  audit: {
    theme: 'trust',
    usage: '',
    about: 'Verify every run and list incidents',
    options: { public: 'check signed heads with this key', heads: 'signed heads that you keep elsewhere' },
    examples: [['audit --json', 'for a program']],
  },
  prices: {
    theme: 'trust',
    usage: '<list|show|refresh> ...',
    about: 'Show what models cost',
    actions: [
      ['list [text]', 'prices in US dollars per million tokens, with their dates'],
      ['show <model>', 'one model'],
      ['refresh --from <file|url>', 'import newer prices, and store them beside the runs'],
    ],
    options: { from: 'refresh: data in the format of https://models.dev/api.json' },
    examples: [['prices list claude', 'models with claude in their names']],
  },
  graph: {
    theme: 'trust',
    usage: '<check|fmt|diff|show|run|review> ...',
    about: 'Check, format, compare, show, run and review graphs',
    actions: [
      ['check <file>...', 'report problems in .rag files or .json blueprints'],
      ['fmt <file>...', 'format .rag files'],
      ['diff <a> <b>', 'compare two graphs (exit code 1 if they differ)'],
      ['show <file|name>', 'print a graph as text, as a diagram, or with --json as its blueprint'],
      ['run <file|name> [input]', 'run a graph; its questions are asked on the terminal'],
      ['review request <file>', 'ask for a review of a generated graph'],
      ['review list', 'list open reviews'],
      ['review show|approve <review>', 'show a review; approve it'],
      ['review reject <review> [reason]', 'reject it'],
      ['review register <file> <token>', 'register a graph that was approved'],
      ['review revoke <review> [reason]', 'unregister a graph'],
    ],
    options: {
      input: 'run: the input, as JSON',
      budget: BUDGET,
      check: 'fmt: change nothing, and fail if a file would change',
      mermaid: 'show: as a Mermaid diagram',
      reason: 'review: a reason, for the record',
      all: 'review list: also those that have ended',
      file: FILE_OF_AGENTS,
      ...SIGNING,
    },
    examples: [
      ['graph check flow.rag', 'problems with their lines (exit code 1 on errors)'],
      ['graph run flow.rag --input \'{"order":"A-17"}\'', 'run it'],
    ],
  },
}
