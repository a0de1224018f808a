import { RESTATE_PACKAGE, findPostgres, findRedis, findRestate } from './binaries.ts'

type Kind = 'postgres' | 'redis' | 'restate'

const GIVEN: Readonly<Record<Kind, string>> = {
  postgres: 'MANDATE_TEST_POSTGRES',
  redis: 'MANDATE_TEST_REDIS',
  restate: 'MANDATE_TEST_RESTATE',
}
const FOUND: Readonly<Record<Kind, boolean>> = {
  postgres: findPostgres() !== undefined,
  redis: findRedis() !== undefined,
  restate: findRestate() !== undefined,
}

/** The servers that can be had neither here nor elsewhere, and how to get them. */
export function lacking(): { readonly kind: Kind; readonly how: string }[] {
  const packages: Readonly<Record<Kind, string>> = {
    postgres: 'postgresql',
    redis: 'redis-server',
    restate: `it (npm install --no-save ${RESTATE_PACKAGE}@1.7.12)`,
  }
  return (['postgres', 'redis', 'restate'] as const)
    .filter((kind) => !has(kind))
    .map((kind) => ({ kind, how: `install ${packages[kind]}, or set ${GIVEN[kind]} to the URL of a server` }))
}

/** Whether tests on this server can run. */
export function has(kind: Kind): boolean {
  return givenUrl(kind) !== undefined || FOUND[kind]
}

/** Whether a server can be started here that a test may crash. */
export function canKeep(kind: Kind): boolean {
  return FOUND[kind]
}

/** A server that is there already, named by an environment variable. */
export function givenUrl(kind: Kind): string | undefined {
  const url = process.env[GIVEN[kind]]
  return url === undefined || url === '' ? undefined : url
}
