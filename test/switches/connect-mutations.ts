import type { ConnectCheck } from '../../src/connect/checks.ts'
import { CONNECT_REFUSALS } from './connect-refusals.ts'
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
  'shell.isolation': 'test/connect/shell-isolation.test.ts',
  'shell.deny-list': 'test/connect/shell.test.ts',
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
  'sql.one-statement': REFUSALS,
  'text.whole': REFUSALS,
  'mcp.pinned-packages': REFUSALS,
  'mcp.secret-forms': REFUSALS,
}

/** The other checks, and where their absence is noticed. */
const PLACES: Readonly<Record<string, Pick<Mutation, 'tests' | 'pattern'>>> = {
  'shell.output-cap': { tests: ['test/connect/shell.test.ts'] },
  'kv.value-size': { tests: ['src/connect/kv.test.ts'] },
}

const NAMED = Object.entries(PLACES).map(([check, place]): Mutation => ({
  id: `connect.${check}`,
  room: 'connect',
  file: 'src/connect/checks.ts',
  find: 'return check !== switchedOff',
  replace: `return check !== switchedOff && check !== '${check}'`,
  ...place,
}))

export const CONNECT_MUTATIONS: readonly Mutation[] = [...NAMED, ...CONNECT_REFUSALS]
