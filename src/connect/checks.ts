/**
 * The security checks of the connectors, by name. All are on. A test switches one off to show that its cases fail without it; no public API, option,
 * environment variable or input can change them.
 */
export const CONNECT_CHECKS = [
  'shell.programs',
  'shell.launchers',
  'shell.options',
  'shell.unknown-options',
  'shell.paths',
  'shell.links',
  'shell.isolation',
  'shell.deny-list',
  'shell.output-cap',
  'files.listing-cap',
  'files.depth-cap',
  'files.regular-only',
  'files.hard-links',
  'files.size-cap',
  'files.deny-list',
  'files.protected',
  'files.one-edit',
  'http.allow-list',
  'http.addresses',
  'http.strip-headers',
  'http.body-cap',
  'kv.quota',
  'kv.value-size',
  'sql.one-statement',
  'text.whole',
  'mcp.pinned-packages',
  'mcp.secret-forms',
] as const

export type ConnectCheck = (typeof CONNECT_CHECKS)[number]

let switchedOff: ConnectCheck | undefined

/** Whether a check is on. */
export function isChecked(check: ConnectCheck): boolean {
  return check !== switchedOff
}

/** Executes work with one check off; for tests alone. */
export async function withoutCheck<T>(check: ConnectCheck, work: () => T | Promise<T>): Promise<T> {
  const before = switchedOff
  switchedOff = check
  try {
    return await work()
  } finally {
    switchedOff = before
  }
}
