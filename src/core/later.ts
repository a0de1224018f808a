/** Hands what was loaded to `use`: at once when it is there already, otherwise when it has come. */
export interface Later<M> {
  <T>(use: (loaded: M) => T): T | Promise<Awaited<T>>
  /** What was loaded, once it is there. */
  readonly loaded: M | undefined
}

let underWay = 0

/** Whether code is being loaded: who waits for it is not at rest. */
export function isLoading(): boolean {
  return underWay > 0
}

/**
 * Code that is loaded by its first use, so that those who never use it do not carry it along.
 *
 * @param load imports it; called until it has succeeded once.
 */
export function later<M>(load: () => Promise<M>): Later<M> {
  let loaded: M | undefined
  const arrive = async <T>(use: (module: M) => T): Promise<Awaited<T>> => {
    underWay++
    try {
      loaded = await load()
    } finally {
      underWay--
    }
    return await use(loaded)
  }
  const hand = <T>(use: (module: M) => T): T | Promise<Awaited<T>> => (loaded === undefined ? arrive(use) : use(loaded))
  return Object.defineProperty(hand, 'loaded', { get: () => loaded }) as Later<M>
}
