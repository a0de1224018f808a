import { CORE } from '../compile/core.ts'
import type { LabelEmitters, Language } from '../compile/language.ts'
import { LabelTracker } from './label-tracker.ts'
import { body, prologue, resumable } from './function-bodies.ts'
import { unlabelledIn } from './unlabelled-variables.ts'
import { labelledExprs, labelledSteps } from './rules/rules.ts'
import { hasImplicitCalls } from './implicit-calls.ts'
import { reserve } from './slots.ts'
import { simpleStatement } from './writes.ts'

const EMITTERS: Omit<LabelEmitters, 'base'> = {
  track: (codes) =>
    new LabelTracker(
      hasImplicitCalls(codes),
      codes.some(({ fn }) => fn.info!.program.hasIterators),
    ),
  isUnlabelled: (node, emit) => unlabelledIn(emit).isUnlabelled(node),
  reserve,
  prologue,
  body,
  resumable,
  simpleStatement: simpleStatement,
}

/** A language with its emitters replaced by those that track labels. */
function addLabels(base: Language): Language {
  const { exprs, steps, resumables } = base
  const made: Language = {
    ...base,
    exprs: labelledExprs(exprs),
    steps: labelledSteps(steps, false),
    resumables: labelledSteps(resumables, true),
    labels: { ...EMITTERS, base },
    listMethods: base.listMethods?.compiledIn(() => made),
  }
  return made
}

const known = new WeakMap<Language, Language>()

/** The language that tracks labels, made once per base language. */
export function withLabels(base: Language = CORE): Language {
  let made = known.get(base)
  if (made === undefined) known.set(base, (made = addLabels(base)))
  return made
}
