import { OVERSEER_KEY } from '../../gate/index.ts'
import type { Delivery, RunFold } from '../../journal/index.ts'

/** The key of a write that a call makes to a store, below the key of the call. */
export const WRITE_KEY = 'ctx.write'

/** The key of an embedding that a call requests. */
export const EMBED_KEY = 'ctx.embed'

/** Whether a key belongs to an effect that is neither requested by a mind nor delivered to one. Minds cannot use such keys. */
export function isAsideKey(key: string): boolean {
  const name = key.slice(key.lastIndexOf('/') + 1).replace(/#\d+$/, '')
  return name === OVERSEER_KEY || name === WRITE_KEY || name === EMBED_KEY
}

/** The deliveries that a mind will request: those of effects it requested itself. */
export function requestedDeliveries({ deliveries }: RunFold): readonly Delivery[] {
  const isAside = ({ key }: Delivery): boolean => isAsideKey(key)
  return deliveries.some(isAside) ? deliveries.filter((delivery) => !isAside(delivery)) : deliveries
}
