import { checkServiceOptions } from './service-options.ts'
import type { ServiceOptions } from './service-options.ts'

/**
 * Defines the configuration of a service with type checking: the default export of `mandate.config.ts`.
 *
 * @example
 * ```ts
 * import { defineService } from 'mandate'
 * import { scripted } from 'mandate/model'
 * export default defineService({ agents: [{ id: 'greeter', model: scripted(['Hello.']) }] })
 * ```
 */
export function defineService(options: ServiceOptions): ServiceOptions {
  checkServiceOptions(options)
  return options
}
