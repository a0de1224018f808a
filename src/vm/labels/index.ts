import { CORE } from '../compile/core.ts'
import type { LabelFamily, Language } from '../compile/language.ts'
import { calls } from './calls.ts'
import { Following } from './following.ts'
import { body, prologue, resumable } from './functions.ts'
import { leaves } from './leaves.ts'
import { literals } from './literals.ts'
import { plainOf } from './plain.ts'
import { READS } from './reads.ts'
import { regionExprs, regionSteps } from './regions.ts'
import { hasHiddenCalls } from './shadows.ts'
import { reserve } from './slots.ts'
import { plainStatement, storeSteps, stores } from './stores.ts'
import { waits } from './waits.ts'

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
    exprs: new Map([
      ...exprs,
      ...leaves(exprs),
      ...READS,
      ...stores(exprs),
      ...literals(exprs),
      ...calls(exprs),
      ...regionExprs(exprs),
    ]),
    steps: new Map([...steps, ...storeSteps(steps), ...regionSteps(steps, false)]),
    resumables: new Map([...resumables, ...regionSteps(resumables, true), ...waits(resumables)]),
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
