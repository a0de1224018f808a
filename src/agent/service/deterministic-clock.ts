import { systemClock } from '../../core/index.ts'
import type { Clock } from '../../core/index.ts'
import { deterministicRandom } from '../../run/index.ts'
import type { KernelOptions } from '../../run/index.ts'
import type { ServiceOptions } from './service-options.ts'

/**
 * Logical time: every read advances it by a millisecond, and a wait advances it by its duration. Waits themselves take real time, so that timeouts,
 * retries and cancellation work as usual.
 */
export function deterministicClock(from = 0): Clock {
  let now = from
  return {
    now: () => (now += 1),
    timer(ms, fire) {
      const due = now + Math.max(ms, 0)
      return systemClock.timer(ms, () => {
        now = Math.max(now, due)
        fire()
      })
    },
  }
}

/** The seeded sources of a service with deterministic journals; `undefined` without a seed. */
export function deterministicSources(
  deterministic: ServiceOptions['deterministic'],
  clock: Clock | undefined,
): Pick<KernelOptions, 'random' | 'sources' | 'clock'> {
  if (deterministic === undefined) return {}
  const { seed, clock: own = clock } = deterministic
  return {
    random: deterministicRandom(String(seed)),
    sources: {
      random: (run) => deterministicRandom(`${seed}/${run}`),
      // A clock of the host is shared by all runs.
      ...(own === undefined ? { clock: deterministicClock } : {}),
    },
    clock: own ?? deterministicClock(),
  }
}
