import { MandateError } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { DEFAULT_GUARDS, createGate } from '../../gate/index.ts'
import { gateRequest } from '../effect/decide.ts'
import type { KernelCall } from '../performers/performer.ts'
import { performerFor } from '../kernel/performer-table.ts'

/** The guards that read only the input, and nothing that this call has changed by having started. */
const LOOKING: readonly string[] = ['risk', 'rules', 'content']

/**
 * Checks the revealed input again. The gate evaluated tokens, so what it would deny with the real values is denied now. An `ask` is ignored: either a person
 * was asked, or the mandate allows such values.
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
