import type { CommandHelp } from '../command-help.ts'
import { BUDGET, FILE_OF_AGENTS, SIGNING } from '../shared-texts.ts'

export const TRUST_COMMANDS: Readonly<Record<string, CommandHelp>> = {
  policy: {
    theme: 'trust',
    usage: '<test|explain> ...',
    about: 'Show what the gate would answer, and why it did',
    actions: [
      ['test <file> <tool>', 'what the gate would answer to a call; nothing is done'],
      ['explain <run> <seq>', 'how an effect was decided, by which rule, and who answered'],
    ],
    options: { input: 'test: the input of the call', labels: 'test: what the input is made from' },
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
      heads: 'signed heads that were kept elsewhere, one a line',
      all: 'every run, as `audit` does',
    },
    examples: [
      ['verify <run>', 'the chain, and that nothing got around the gate'],
      ['verify run.jsonl --public key.pem', 'an exported file, without a store'],
    ],
    words: 'run',
  },
  audit: {
    theme: 'trust',
    usage: '',
    about: 'Verify every run and list incidents',
    options: { public: 'check signed heads with this key', heads: 'signed heads that were kept elsewhere' },
    examples: [['audit --json', 'for a program']],
  },
  prices: {
    theme: 'trust',
    usage: '<list|show|refresh> ...',
    about: 'Show what models cost',
    actions: [
      ['list [text]', 'prices in US dollars per million tokens, with their dates'],
      ['show <model>', 'one model'],
      ['refresh --from <file|url>', 'take newer prices and keep them beside the runs'],
    ],
    options: { from: 'refresh: data in the shape of https://models.dev/api.json' },
    examples: [['prices list claude', 'models with claude in their names']],
  },
  graph: {
    theme: 'trust',
    usage: '<check|fmt|diff|show|run|review> ...',
    about: 'Check, format, compare, show, run and review graphs',
    actions: [
      ['check <file>...', 'what is wrong with .rag files or .json blueprints'],
      ['fmt <file>...', 'write .rag files in their one layout'],
      ['diff <a> <b>', 'how two graphs differ (exit code 1 when they do)'],
      ['show <file|name>', 'a graph as text, as a diagram, or as its blueprint with --json'],
      ['run <file|name> [input]', 'run a graph; it asks on the terminal'],
      ['review request <file>', 'ask for a review of a generated graph'],
      ['review list', 'reviews that are open'],
      ['review show|approve <review>', 'read a review; agree to it'],
      ['review reject <review> [reason]', 'refuse it'],
      ['review register <file> <token>', 'register a graph that was approved'],
      ['review revoke <review> [reason]', 'take a registered graph away'],
    ],
    options: {
      input: 'run: the input, as JSON',
      budget: BUDGET,
      check: 'fmt: change nothing, and fail where something would change',
      mermaid: 'show: as a Mermaid diagram',
      reason: 'review: why, for the record',
      all: 'review list: also those that have ended',
      file: FILE_OF_AGENTS,
      ...SIGNING,
    },
    examples: [
      ['graph check flow.rag', 'errors with their lines (exit code 1)'],
      ['graph run flow.rag --input \'{"order":"A-17"}\'', 'run it'],
    ],
  },
}
