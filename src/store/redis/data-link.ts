import { MandateError, systemClock, systemRandom } from '../../core/index.ts'
import type { StoredRow } from '../../memory/index.ts'
import { rekey } from '../encryption/index.ts'
import type { KeyShelf, RekeyReport, SealedStore, WrappedKey } from '../encryption/index.ts'
import { PreparedPlace } from '../shared-connection.ts'
import { orderedPuts } from '../ordered-puts.ts'
import { openSealing } from '../entry-cipher.ts'
import { closed } from './link.ts'
import type { RedisLink, Reply } from './link.ts'
import { carryPuts } from './record-rows.ts'
import type { DataPlace } from './record-rows.ts'

/** The way to the data: connected by the first call. */
export class DataLink {
  readonly closed: () => Error = closed
  readonly link: RedisLink
  /** Writes rows, together with what others write at the same time. */
  readonly put: (space: string, rows: readonly StoredRow[]) => Promise<void>
  readonly #place: PreparedPlace<DataPlace>

  constructor(link: RedisLink) {
    this.link = link
    this.#place = new PreparedPlace(() => this.#prepare())
    this.put = orderedPuts(async (puts) => carryPuts(await this.ready(), puts))
  }

  ready(): Promise<DataPlace> {
    return this.#place.ready()
  }

  /** What is open already goes on with the keys it has; the next who opens has the new one. */
  async rekey(): Promise<RekeyReport> {
    await this.ready()
    const { encryption, name } = this.link.options
    if (encryption === undefined)
      throw new MandateError('CONFIG_INVALID', `${name} was opened without keys. Give \`encryption\` to change them.`)
    const store = await this.#store()
    const report = await rekey({ encryption, store, shelf: shelfOf(this.link), now: systemClock.now() })
    this.#place.forget()
    return report
  }

  /** Tells this store from any other; made by the first who opens it. */
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
    // So that one who comes with keys later knows that something is there which was never sealed.
    if (!sealing.isSealing) await link.ask('SET', link.key('plain'), '1')
    return { link, sealing }
  }
}

/** The wrapped data keys, in a hash beside the data. */
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
