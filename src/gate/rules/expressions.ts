import { BUDGET_UNITS, MandateError, allLabels, messageOf } from '../../core/index.ts'
import { checkExpr, compileExpr, isTagged, parseCondition, printExpr } from '../../expr/index.ts'
import type { Compiled, ExprNode, Readers } from '../../expr/index.ts'
import { clausesOf, comparesRisk, mentions, pathsIn, pathThrough } from './expression-parts.ts'
import type { Refuse } from './conditions.ts'
import type { GateView } from '../guard.ts'
import { shown } from './targets.ts'

/** What has not been spent at all is not missing to a rule. */
const NOTHING_SPENT = Object.fromEntries(BUDGET_UNITS.map((unit) => [unit, 0]))

/** What an expression in a rule can see, read where it lies. */
const NAMES: Readers<GateView> = {
  tool: ({ effect }) => (effect.kind === 'tool' ? effect.name : undefined),
  name: ({ effect }) => effect.name,
  kind: ({ effect }) => effect.kind,
  input: ({ input }) => input,
  risk: ({ risk }) => risk,
  identity: ({ identity }) => identity,
  labels: ({ effect }) => allLabels(effect.labels),
  intent: ({ effect }) => effect.intent,
  origin: ({ effect }) => effect.origin,
  depth: ({ depth }) => depth,
  toolCalls: ({ toolCalls }) => toolCalls,
  spent: ({ budget }) => ({ ...NOTHING_SPENT, ...budget.spent }),
}

/** A rule's expression made ready. */
export interface RuleExpression {
  readonly test: (view: GateView) => boolean
  /** What held, with the values that were read. */
  readonly explain: (view: GateView) => string
}

/** Whether a rule's `when` is an expression, as text or as a node, rather than an object of paths. */
export function isExpression(when: unknown): when is string | ExprNode {
  return typeof when === 'string' || isTagged(when)
}

/** Makes an expression ready, or refuses it: what is left to go wrong while a run goes on is a value it cannot work with, and then nothing passes. */
export function compileExpression(when: string | ExprNode, id: string, refuse: Refuse): RuleExpression {
  try {
    const node = typeof when === 'string' ? parseCondition(when) : (checkExpr(when) as ExprNode)
    const run = compileExpr(node, { names: NAMES })
    // A rule about tools is not about whatever is no tool, also when it says "every tool but these".
    const isAboutTools = mentions(node, 'tool')
    if (comparesRisk(node))
      refuse('when', 'compares `risk` by the alphabet. Use `["exec", "destructive"].includes(risk)`.')
    return {
      test: (view) => !(isAboutTools && view.effect.kind !== 'tool') && decide(run, view, id),
      explain: explainer(node),
    }
  } catch (error) {
    if (MandateError.isInstance(error) && error.code === 'CONFIG_INVALID') throw error
    return refuse('when', `is no expression. ${messageOf(error)}`)
  }
}

function decide(run: Compiled<GateView>, view: GateView, id: string): boolean {
  try {
    return Boolean(run(view))
  } catch (cause) {
    const { code, info } = cause as MandateError
    throw new MandateError(code, `The rule ${JSON.stringify(id)} cannot be applied. ${messageOf(cause)}`, {
      info,
      cause,
    })
  }
}

/** Says of each part that had to hold what it read: any one of them not holding would have changed the answer. */
function explainer(node: ExprNode): (view: GateView) => string {
  const clauses = clausesOf(node).map((clause) => ({
    text: printExpr(clause),
    paths: pathsIn(clause).map((path) => ({
      text: printExpr(path),
      // Nothing on the way may be missing to the rule, but it may be to this: one side of a choice is not even read.
      read: compileExpr(pathThrough(path), { names: NAMES }),
    })),
  }))
  const change = `It does not apply once ${clauses.length === 1 ? 'this' : 'one of these'} does not hold.`
  return (view) => {
    const held = clauses.map(({ text, paths }) => {
      const values = paths.map((path) => `${path.text} is ${valueText(path.read(view))}`)
      return values.length === 0 ? `\`${text}\`` : `\`${text}\` (${values.join(', ')})`
    })
    return `because ${held.join(' and ')}. ${change}`
  }
}

function valueText(value: unknown): string {
  return value === undefined ? 'missing' : shown(value)
}
