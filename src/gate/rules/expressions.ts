import { BUDGET_UNITS, MandateError, allLabels, messageOf } from '../../core/index.ts'
import { checkExpr, compileExpr, isTagged, parseCondition, printExpr } from '../../expr/index.ts'
import type { Compiled, ExprNode, Readers } from '../../expr/index.ts'
import { clausesOf, comparesRisk, mentions, pathsIn, pathThrough } from './expression-parts.ts'
import type { Refuse } from './conditions.ts'
import type { GateView } from '../guard.ts'
import { shown } from './targets.ts'

/** Unspent units read as 0 in rules. */
const NOTHING_SPENT = Object.fromEntries(BUDGET_UNITS.map((unit) => [unit, 0]))

/** The names that a rule expression can read, without copying. */
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

/** A compiled rule expression. */
interface RuleExpression {
  readonly test: (view: GateView) => boolean
  /** Describes the clauses that held, with the values they read. */
  readonly explain: (view: GateView) => string
}

/** Whether a rule's `when` is an expression, as text or as a node, rather than an object of paths. */
export function isExpression(when: unknown): when is string | ExprNode {
  return typeof when === 'string' || isTagged(when)
}

/** Compiles a rule expression, or refuses it. At run time only unsupported operand types can fail, and then the effect is denied. */
export function compileExpression(when: string | ExprNode, id: string, refuse: Refuse): RuleExpression {
  try {
    const node = typeof when === 'string' ? parseCondition(when) : (checkExpr(when) as ExprNode)
    const run = compileExpr(node, { names: NAMES })
    // A rule about tools does not apply to other effects, even with negated conditions.
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

/** Describes each clause that had to hold, with the values it read. */
function explainer(node: ExprNode): (view: GateView) => string {
  const clauses = clausesOf(node).map((clause) => ({
    text: printExpr(clause),
    paths: pathsIn(clause).map((path) => ({
      text: printExpr(path),
      // Reads with optional chaining: a branch that was not taken may refer to missing values.
      read: compileExpr(pathThrough(path), { names: NAMES }),
    })),
  }))
  const change = `Without ${clauses.length === 1 ? 'this condition' : 'one of these conditions'}, the rule does not apply.`
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
