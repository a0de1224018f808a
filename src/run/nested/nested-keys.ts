import { OVERSEER_KEY } from '../../gate/index.ts'

/** Names what a call writes to stores by itself, below the key of the call. */
export const WRITE_KEY = 'ctx.write'

/** Names the texts that a call turns into vectors. */
export const EMBED_KEY = 'ctx.embed'

/** Whether a key belongs to an effect that no mind asked for, and whose outcome no mind is owed. No mind can take such a key. */
export function isAsideKey(key: string): boolean {
  const name = key.slice(key.lastIndexOf('/') + 1).replace(/#\d+$/, '')
  return name === OVERSEER_KEY || name === WRITE_KEY || name === EMBED_KEY
}
