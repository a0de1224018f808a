import type { OptionTexts } from './command-help.ts'

export const SIGNING: OptionTexts = {
  sign: 'sign answers with this Ed25519 key (PEM or JWK)',
  public: 'accept only answers that this key has signed',
}
export const READ_ONLY = 'show runs, and refuse every change'
export const BUDGET = 'limits of the run, such as money=5,timeMs=60000'
export const PACK = 'ready tools instead of a file: filesystem, web, sql=<file|url>, shell, mcp; can be repeated'
export const MODEL =
  'another model of the same service for this run; with --pack: the model, such as openai/gpt-5-mini (default: MANDATE_MODEL)'
export const FILE_OF_AGENTS = 'the file with the agents (default: mandate.config.ts)'

export const CONTEXT =
  'a text file of at most 1 GiB that cells read in parts, as `context`; it is neither loaded whole nor put into a prompt'
export const CONTEXT_AGAIN = 'the file that the run was started with as its context, unchanged'

export const ENGINE: string =
  'what drives runs: dbos or restate (workers), or local (this process); default: workers if the store has ever had any'
