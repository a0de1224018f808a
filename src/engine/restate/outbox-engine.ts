import { MandateError } from '../../core/index.ts'
import type { Engine, EngineHost } from '../../run/index.ts'
import { linkTo } from '../../store/postgres/index.ts'
import { Outbox } from './outbox.ts'
import type { WakeUp } from './outbox.ts'

/**
 * Creates an engine that only writes wake-ups to the outbox table, from which the workers on Restate pass them on. It is for a short-lived process that answers
 * a run and does not know the address of Restate.
 */
export function outboxEngine(url: string): Engine {
  const link = linkTo(url, 1)
  const outbox = new Outbox(link)
  let host: EngineHost | undefined
  const wakeUp = async (run: string, cause: string): Promise<WakeUp> => {
    await outbox.open()
    return { run, cause, fromSeq: (await host?.journal.summary(run))?.head.seq ?? 0 }
  }
  return {
    name: 'restate',
    placement: {
      async enlist(run, cause) {
        const prepared = await wakeUp(run, cause)
        return (transaction) => outbox.put(prepared, transaction)
      },
      settled: () =>
        Promise.reject(
          new MandateError('CONFIG_INVALID', 'Only a process that knows where Restate is can follow a run.'),
        ),
    },
    attach: async (given) => void (host = given),
    dispatch: async (run, cause) => outbox.put(await wakeUp(run, cause)),
    schedule: async (run, at) => outbox.put({ ...(await wakeUp(run, `timer/${at}`)), at }),
    stop: () => link.close(),
  }
}
