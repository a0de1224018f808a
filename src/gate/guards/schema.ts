import { isSame, messageOf } from '../../core/index.ts'
import type { Validation } from '../effect.ts'
import type { GateView, Guard, GuardVerdict } from '../guard.ts'
import { shown } from '../rules/targets.ts'

const ISSUES_MAX = 10
const ISSUE_LENGTH_MAX = 300

/** Validates the input with the target's schema; the validated value (with defaults and coercions, without dropped members) is passed to all later guards. */
export const schemaGuard: Guard = { name: 'schema', ignoresMandate: true, check: checkSchema }

function checkSchema(view: GateView): GuardVerdict | Promise<GuardVerdict> {
  if (view.facts.validate === undefined) return undefined
  try {
    const validation = view.facts.validate(view.input)
    // Not awaited if it is synchronous: most validators are, and this runs for every effect.
    if (!(validation instanceof Promise)) return judge(view, validation)
    return validation.then(
      (late) => judge(view, late),
      (error: unknown) => broken(view, error),
    )
  } catch (error) {
    return broken(view, error)
  }
}

/** The denial if a validator throws: that is a fault of the tool, and it is unknown whether the input is valid. */
function broken({ effect }: GateView, error: unknown): GuardVerdict {
  const reason = `The schema of ${shown(effect.name)} failed while it checked the input: ${messageOf(error)}`
  return { verdict: 'deny', rule: 'validator', code: 'TOOL_FAILED', reason }
}

function judge(view: GateView, validation: Validation): GuardVerdict {
  if (validation.ok && isSame(validation.value, view.input)) return undefined
  const { name } = view.effect
  if (!validation.ok) return { verdict: 'deny', code: 'SCHEMA_INVALID', reason: invalidInput(name, validation.issues) }
  return {
    verdict: 'modify',
    input: validation.value,
    reason: `The schema of ${shown(name)} put the input into its own form.`,
  }
}

/** Describes the validation errors of an input, so that the model can correct it. */
export function invalidInput(name: string, issues: readonly string[]): string {
  const listed = issues.slice(0, ISSUES_MAX).map((issue) => `- ${issue.slice(0, ISSUE_LENGTH_MAX)}`)
  const more = issues.length > ISSUES_MAX ? [`- and ${issues.length - ISSUES_MAX} more`] : []
  return [`The input of ${shown(name)} is not valid. Correct it and try again:`, ...listed, ...more].join('\n')
}
