import { systemClock, systemRandom } from '../../core/index.ts'
import type { StoredRow } from '../../memory/index.ts'
import { noKeysToChange, rekey } from '../encryption/index.ts'
import type { KeyShelf, RekeyReport, SealedStore, WrappedKey } from '../encryption/index.ts'
import { PreparedPlace } from '../shared-connection.ts'
import { orderedPuts } from '../ordered-puts.ts'
import { openSealing } from '../entry-cipher.ts'
import { closed } from './link.ts'
import type { RedisLink, Reply } from './link.ts'
import { executePuts } from './record-rows.ts'
import type { DataPlace } from './record-rows.ts'

/** The connection to the data: opened by the first call. */
export class DataLink {
  readonly closed: () => Error = closed
  readonly link: RedisLink
  /** Writes rows, batched with concurrent writes. */
  readonly put: (space: string, rows: readonly StoredRow[]) => Promise<void>
  readonly #place: PreparedPlace<DataPlace>

  constructor(link: RedisLink) {
    this.link = link
    this.#place = new PreparedPlace(() => this.#prepare())
    this.put = orderedPuts(async (puts) => executePuts(await this.ready(), puts))
  }

  ready(): Promise<DataPlace> {
    return this.#place.ready()
  }

  /** Clients that are already open continue with their keys; those opened later use the new one. */
  async rekey(): Promise<RekeyReport> {
    await this.ready()
    const { encryption, name } = this.link.options
    if (encryption === undefined) throw noKeysToChange(name)
    const store = await this.#store()
    const report = await rekey({ encryption, store, shelf: shelfOf(this.link), now: systemClock.now() })
    this.#place.forget()
    return report
  }

  /** The id of this store, created by its first client. */
  async #store(): Promise<SealedStore> {
    const { link } = this
    await link.ask('SET', link.key('id'), systemRandom.hex(16), 'NX')
    const id = String(await link.ask('GET', link.key('id')))
    return { id, name: `${link.options.name} (prefix ${link.options.prefix})` }
  }

  async #prepare(): Promise<DataPlace> {
    const { link } = this
    const sealing = await openSealing({
      encryption: link.options.encryption,
      store: await this.#store(),
      shelf: shelfOf(link),
      hasPlain: async () => (await link.ask('EXISTS', link.key('plain'))) === 1,
    })
    // Marks the store as plain, so that a later client with keys detects that it has unencrypted content.
    if (!sealing.isSealing) await link.ask('SET', link.key('plain'), '1')
    return { link, sealing }
  }
}

/** The encrypted data keys, in a hash beside the data. */
function shelfOf(link: RedisLink): KeyShelf {
  const place = link.key('keys')
  return {
    read: async () => {
      const found = (await link.ask('HVALS', place)) as readonly Reply[]
      return found.map((text): WrappedKey => {
        const { wrapped, ...rest } = JSON.parse(String(text)) as Omit<WrappedKey, 'wrapped'> & { wrapped: string }
        return { ...rest, wrapped: Buffer.from(wrapped, 'base64') }
      })
    },
    write: async (keys) => {
      const pairs = keys.flatMap((key) => [
        key.id,
        JSON.stringify({ ...key, wrapped: Buffer.from(key.wrapped).toString('base64') }),
      ])
      if (pairs.length > 0) await link.ask('HSET', place, ...pairs)
    },
  }
}
