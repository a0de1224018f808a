import { MandateError } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { DEFAULT_GUARDS, createGate } from '../../gate/index.ts'
import { gateRequest } from '../effect/decide.ts'
import type { KernelCall } from '../performers/performer.ts'
import { performerFor } from '../kernel/performer-table.ts'

/** The guards that look at what is in an input, and at nothing that this very call has changed by having begun. */
const LOOKING: readonly string[] = ['risk', 'rules', 'content']

/**
 * The gate has judged tokens; now the values stand in their places. What would have been denied with them is denied still.
 * That a human would have been asked is no matter: either one was, or the mandate lets such values pass.
 */
export async function checkRevealed(call: KernelCall, input: Json): Promise<void> {
  const { run, effect } = call
  const [mandate = {}, ...above] = run.mandates
  const gate = createGate({ mandate, above, guards: DEFAULT_GUARDS.filter(({ name }) => LOOKING.includes(name)) })
  const performer = performerFor(run.host.registry, effect.kind)
  const { verdict, rule, reason } = await gate.decide(gateRequest({ run, effect, performer }, input))
  if (verdict === 'deny' || verdict === 'kill')
    throw new MandateError('DENIED', `With the values in the places of their tokens, ${rule} refuses it: ${reason}`)
}
