import { MandateError, checkName } from '../../core/index.ts'
import { checkShape } from './shape-check.ts'
import type { Provider } from './provider-types.ts'

/**
 * Providers by id. Agents refer to them by `provider`.
 *
 * @example
 * ```ts
 * import { ProviderRegistry } from 'mandate/chat'
 * import type { Provider } from 'mandate/chat'
 * declare const local: Provider
 * const providers = new ProviderRegistry([local])
 * providers.has(local.id) // true
 * ```
 */
export class ProviderRegistry {
  readonly #providers = new Map<string, Provider>()

  constructor(providers: readonly Provider[] = []) {
    for (const provider of providers) this.register(provider)
  }

  /** Adds a provider. Throws if its id is taken. */
  register(provider: Provider): this {
    checkShape(provider, { what: 'provider with `complete` and `stream`', methods: ['complete'], named: 'id' })
    const id = checkName(provider.id, 'The id of a provider')
    if (this.#providers.has(id))
      throw new MandateError('DUPLICATE', `A provider "${id}" is already registered. Give it another id.`)
    this.#providers.set(id, provider)
    return this
  }

  /** Returns the provider. Throws an error that lists the registered ids if there is none. */
  get(id: string): Provider {
    const provider = this.#providers.get(id)
    if (provider !== undefined) return provider
    throw new MandateError('NOT_FOUND', `There is no provider "${id}". Registered: ${this.ids().join(', ') || 'none'}.`)
  }

  has(id: string): boolean {
    return this.#providers.has(id)
  }

  ids(): readonly string[] {
    return [...this.#providers.keys()]
  }
}
