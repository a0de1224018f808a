import { MandateError, errorInfo } from '../../../core/index.ts'
import type { Clock, Json, Outcome, Random } from '../../../core/index.ts'
import { callAtom } from '../atom-call.ts'
import type { AtomCall } from '../atom-call.ts'
import { isTimerAtom, wakeTime } from '../timer-atoms.ts'
import type { Capabilities, StoreCapability } from './capabilities.ts'
import type { EffectHost } from '../session.ts'

interface StandaloneParts {
  readonly capabilities: Capabilities
  readonly clock: Clock
  readonly random: Pick<Random, 'next'>
}

/** Creates the effect host of a machine without a kernel: it has only the given capabilities. */
export function standaloneHost({ capabilities, clock, random }: StandaloneParts): EffectHost {
  const store = (method: 'get' | 'set'): NonNullable<StoreCapability['get' | 'set']> => {
    const found = capabilities.store?.[method]
    if (found !== undefined) return found.bind(capabilities.store)
    throw new MandateError(
      'CONFIG_INVALID',
      `cache needs the capability store.${method}. Give one, as with { store: memoryStore() }.`,
    )
  }
  const host: EffectHost = {
    atom: (call) => (isTimerAtom(call.atom) ? waitAlone(call, clock) : callAtom(call)),
    pure: callAtom,
    tool: (name, input, signal) =>
      attempted(() => {
        const tool =
          capabilities.tools !== undefined && Object.hasOwn(capabilities.tools, name)
            ? capabilities.tools[name]
            : undefined
        if (tool === undefined)
          throw new MandateError('TOOL_UNKNOWN', `There is no tool "${name}". Give it in capabilities.tools.`)
        return tool(input, { signal }) as unknown
      }),
    storeGet: (key) => attempted(() => (store('get') as (key: string) => unknown)(key)),
    storeSet: ({ key, value }) => attempted(() => (store('set') as (key: string, value: Json) => unknown)(key, value)),
    nested: () => host,
    now: () => clock.now(),
    random: () => random.next(),
  }
  return host
}

/** Waits in memory. `limits.wallMs` of the machine bounds the wait. */
function waitAlone({ atom, input, signal }: AtomCall, clock: Clock): Promise<Outcome> {
  return attempted(() => {
    const now = clock.now()
    const ms = Math.max(0, wakeTime(atom.op, input, now) - now)
    return new Promise((resolve) => {
      const cancel = clock.timer(ms, () => resolve(null))
      signal.addEventListener('abort', cancel, { once: true })
    })
  })
}

async function attempted(work: () => unknown): Promise<Outcome> {
  try {
    return { status: 'ok', value: (await work()) as Json }
  } catch (error) {
    return { status: 'failed', error: errorInfo(error, 'TOOL_FAILED') }
  }
}
