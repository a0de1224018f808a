import { CORE } from '../compile/core.ts'
import type { LabelFamily, Language } from '../compile/language.ts'
import { Following } from './label-tracker.ts'
import { body, prologue, resumable } from './functions.ts'
import { plainOf } from './plain.ts'
import { labelledExprs, labelledSteps } from './rules/rules.ts'
import { hasHiddenCalls } from './shadows.ts'
import { reserve } from './slots.ts'
import { plainStatement } from './stores.ts'

const FAMILY: Omit<LabelFamily, 'base'> = {
  follow: (codes) => new Following(hasHiddenCalls(codes)),
  isPlain: (node, emit) => plainOf(emit).isPlain(node),
  reserve,
  prologue,
  body,
  resumable,
  plain: plainStatement,
}

/** The same language with the family of closures that follows labels laid over it. */
function labelled(base: Language): Language {
  const { exprs, steps, resumables } = base
  const made: Language = {
    ...base,
    exprs: labelledExprs(exprs),
    steps: labelledSteps(steps, false),
    resumables: labelledSteps(resumables, true),
    labels: { ...FAMILY, base },
    listMethods: base.listMethods?.compiledIn(() => made),
  }
  return made
}

const known = new WeakMap<Language, Language>()

/** Programs that follow where their values came from. */
export function withLabels(base: Language = CORE): Language {
  let made = known.get(base)
  if (made === undefined) known.set(base, (made = labelled(base)))
  return made
}
