import { MandateError } from '../../core/index.ts'
import { findTool } from '../kernel/registry.ts'
import type { KernelPerformer } from './performer.ts'

/** Waits until a time: in memory if it is short, suspended if it is long. `input.until` is in milliseconds since 1970. */
export const sleepPerformer: KernelPerformer = {
  kind: 'sleep',
  facts: () => ({ known: true, risk: 'read', worst: {} }),
  repeatable: () => true,
  timeoutMs: () => undefined,
  async perform({ run, key, input }) {
    const until = (input as { until?: unknown } | null)?.until
    if (typeof until !== 'number' || !Number.isFinite(until))
      throw new MandateError('INPUT_INVALID', 'A sleep needs `input.until`: a moment in milliseconds since 1970.')
    const { clock } = run.host
    if (clock.now() >= until) return { value: null }
    return {
      parked: 'timer',
      pending: [{ key, reason: 'timer', wakeAt: until }],
      wakeAt: until,
      wake: (again) => clock.timer(until - clock.now(), again),
    }
  },
}

/** A question to a human. It is never performed: the kernel parks it until it is answered. */
export const questionPerformer: KernelPerformer = {
  kind: 'question',
  // A person reads tokens as such; a client that carries out a tool would use them in place of the values.
  facts: ({ name }, { resources, host }) => {
    const tool = findTool(resources, host.registry, name)
    return { known: true, risk: 'read', worst: {}, takesTokens: tool === undefined || tool.takesTokens === true }
  },
  repeatable: () => true,
  timeoutMs: () => undefined,
  perform: () => Promise.reject(new MandateError('INTERNAL', 'A question is answered, not performed.')),
}
