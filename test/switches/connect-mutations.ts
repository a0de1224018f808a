import type { ConnectCheck } from '../../src/connect/checks.ts'
import type { Mutation } from './mutation.ts'

const SHELL = 'test/connect/shell-options.test.ts'
const FILES = 'test/files/fs-corpus.test.ts'
const SSRF = 'test/connect/ssrf-corpus.test.ts'
const REFUSALS = 'test/connect/refusals.test.ts'

/** Checks of the connectors that their own tests switch off with `withoutCheck`, and expect failing cases. */
export const SWITCHED_IN_TESTS: Readonly<Partial<Record<ConnectCheck, string>>> = {
  'shell.programs': SHELL,
  'shell.launchers': SHELL,
  'shell.options': SHELL,
  'shell.unknown-options': SHELL,
  'shell.paths': SHELL,
  'shell.links': SHELL,
  'files.listing-cap': FILES,
  'files.depth-cap': FILES,
  'files.regular-only': FILES,
  'files.hard-links': FILES,
  'files.size-cap': FILES,
  'files.deny-list': FILES,
  'files.protected': FILES,
  'files.one-edit': REFUSALS,
  'http.allow-list': SSRF,
  'http.addresses': SSRF,
  'http.strip-headers': SSRF,
  'http.body-cap': SSRF,
  'kv.quota': REFUSALS,
  'text.whole': REFUSALS,
  'mcp.pinned-packages': REFUSALS,
  'mcp.secret-forms': REFUSALS,
}

/** Checks without a case that only they stop, and why. */
export const SECOND_LINES: Readonly<Partial<Record<ConnectCheck, string>>> = {
  'shell.isolation': 'it refuses only where bubblewrap does not work; tests run where it does',
  'sql.one-statement': 'the databases refuse a second statement as well; the check gives the better message',
}

/** The other checks, and where their absence is noticed. */
const PLACES: Readonly<Record<string, Pick<Mutation, 'tests' | 'pattern'>>> = {
  'shell.output-cap': { tests: ['test/connect/shell.test.ts'] },
  'kv.value-size': { tests: ['src/connect/kv.test.ts'] },
}

export const CONNECT_MUTATIONS: readonly Mutation[] = Object.entries(PLACES).map(([check, place]) => ({
  id: `connect.${check}`,
  room: 'connect',
  file: 'src/connect/checks.ts',
  find: 'return check !== switchedOff',
  replace: `return check !== switchedOff && check !== '${check}'`,
  ...place,
}))
