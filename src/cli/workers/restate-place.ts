import { MandateError, checkFields } from '../../core/index.ts'
import type { FieldNames } from '../../core/index.ts'
import { restateEngine } from '../../engine/index.ts'
import type { RestateOptions } from '../../engine/index.ts'
import type { Engine } from '../../run/index.ts'
import { configured, importModule } from '../load-module.ts'
import { isPackSource } from '../packs/pack-source.ts'

/** The `restate` export of the configuration: the addresses of the Restate server and of the workers. */
export type RestatePlace = Partial<Omit<RestateOptions, 'store' | 'schema'>>

const PLACE: FieldNames<RestatePlace> = { ingress: 'text', admin: 'text', worker: 'object' }

/**
 * The default addresses of Restate, and the port that its documentation uses for services. Workers of one machine share the port where the system supports it.
 */
const LOCAL = { ingress: 'http://127.0.0.1:8080', admin: 'http://127.0.0.1:9070' }
const PORT = { port: 9_080, sharePort: process.platform === 'linux' }

/** Returns the `restate` export of the file that runs are started from, or of the configuration. */
export async function configuredRestate(source: string): Promise<RestatePlace | undefined> {
  const own = isPackSource(source) ? undefined : readRestate((await importModule(source)).restate)
  return own ?? readRestate(await configured('restate', /\bexport\s+const\s+restate\b/u))
}

/** Checks the `restate` export of a module. */
export function readRestate(restate: unknown): RestatePlace | undefined {
  if (restate === undefined || (typeof restate === 'object' && restate !== null)) {
    checkFields(restate, 'a field of `restate`', PLACE)
    return restate
  }
  throw new MandateError(
    'CONFIG_INVALID',
    "A `restate` is exported that is no object. Write `export const restate = { ingress: 'http://…:8080', admin: 'http://…:9070' }`.",
  )
}

/** Creates an engine that starts and follows runs but drives none. */
export function restateClient(store: string, { ingress = LOCAL.ingress, admin }: RestatePlace = {}): Engine {
  return restateEngine({ ingress, store, ...(admin === undefined ? {} : { admin }) })
}

/** Throws while Restate does not respond at the addresses of a worker. */
export async function restateAnswers({ ingress = LOCAL.ingress, admin = LOCAL.admin }: RestatePlace): Promise<void> {
  for (const url of [new URL('restate/health', withSlash(ingress)), new URL('health', withSlash(admin))]) {
    const answer = await fetch(url)
    await answer.body?.cancel()
    if (!answer.ok) throw new MandateError('STORE_FAILED', `Restate answered ${answer.status} at ${url.href}.`)
  }
}

function withSlash(address: string): string {
  return address.endsWith('/') ? address : `${address}/`
}

/** Creates an engine that drives runs. Typed options take precedence over the configuration. */
export function restateTaker(store: string, place: RestatePlace = {}, typed: RestatePlace['worker'] = {}): Engine {
  const { worker, ...rest } = place
  return restateEngine({ ...LOCAL, ...rest, store, worker: { ...PORT, ...worker, ...typed } })
}
