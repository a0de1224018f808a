import { IN_PLACE, revealChoices } from '../content/reveal-rules.ts'
import type { RevealChoice } from '../content/reveal-rules.ts'
import type { GateView, Guard, GuardVerdict } from '../guard.ts'
import { targetName } from '../rules/targets.ts'

/**
 * Decides whether the values behind tokens are put in their places, and keeps tokens that are not replaced from the world. It evaluates all mandates at
 * once, because the default depends on whether any of them has a rule.
 */
export const revealGuard: Guard = {
  name: 'reveal',
  ignoresMandate: true,
  check: checkReveal,
}

function checkReveal(view: GateView): GuardVerdict {
  const choices = revealChoices(view, view.mandates)
  if (choices.length === 0) return undefined
  // A handle cannot be kept as it is: the performer would substitute the secret.
  const denied = choices.find(({ then, token }) => then === 'deny' || (then === 'keep' && !token.startsWith('[')))
  if (denied !== undefined) {
    const reason = denied.rule === IN_PLACE ? describeInPlace(denied, view) : describe(denied, view, 'must not get')
    return { verdict: 'deny', rule: denied.rule, code: 'DENIED', reason }
  }
  const asked = choices.find(({ then }) => then === 'ask')
  if (asked === undefined) return record(choices, view)
  // A standing approval was given without seeing which value this call reveals.
  return { verdict: 'ask', rule: asked.rule, reason: describe(asked, view, 'would get'), once: true }
}

/** Records that a value is revealed, even where no approval is needed. */
function record(choices: readonly RevealChoice[], view: GateView): GuardVerdict {
  const allowed = choices.filter(({ then }) => then === 'allow')
  const [first] = allowed
  if (first === undefined) return undefined
  const parts = allowed.map(({ token, pointer }) => `${token} (at ${pointer || 'the input itself'})`)
  const target = targetName(view.effect.kind, view.effect.name)
  return { verdict: 'allow', rule: first.rule, reason: `${target} gets the value behind ${parts.join(', ')}.` }
}

function describeInPlace({ token, label, pointer, isVaulted }: RevealChoice, { effect, vaulted }: GateView): string {
  const target = targetName(effect.kind, effect.name)
  const what = `${target} would get the token ${token} (at ${pointer || 'the input itself'}), not the value that was redacted: nothing was done.`
  const own = `A tool that is meant to get tokens declares \`takesTokens: true\`.`
  if (effect.kind !== 'tool') return `${what} A client never gets such values. ${own}`
  if (vaulted !== true)
    return `${what} The value is not kept. Give the service a \`vault\`, or use a handle of a named secret. ${own}`
  if (!isVaulted) return `${what} No vault has a value for such a token. Pass the whole token as it was shown. ${own}`
  return `${what} A tool that needs the value declares \`reveals: ['${label}']\`; a rule under \`reveal\` of the mandate allows it too. ${own}`
}

function describe({ token, label, pointer }: RevealChoice, { effect }: GateView, verb: string): string {
  const target = targetName(effect.kind, effect.name)
  return `${target} ${verb} the value behind ${token} (at ${pointer || 'the input itself'}). A rule under \`reveal\` of the mandate for ${label} would settle it.`
}
