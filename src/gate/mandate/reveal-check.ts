import { checkNamed, fieldsOf, isText, listOf, oneOf, onlyFields, refuse } from './field-checks.ts'
import type { Fields } from './field-checks.ts'
import { checkException, checkPlaces } from './flow-check.ts'
import { REVEALS } from '../content/reveal-rules.ts'

/** Validates reveal rules. */
export function checkReveal(value: unknown, field: string): void {
  checkNamed(value, field, checkRule)
}

function checkRule(rule: Fields, place: string): void {
  onlyFields(rule, ['id', 'sink', 'path', 'labels', 'where', 'then'], place)
  const { id, labels, where, then } = rule
  if (!isText(id)) refuse(`${place}.id`, 'must be a text that names the rule in the record.')
  checkPlaces(rule, place)
  for (const [label, at] of listOf(labels, `${place}.labels`))
    if (!isText(label) || !/^(?:secret|pii)(?::[^*]*\*?)?$/u.test(label))
      refuse(at, 'must be a label of what a vault keeps, such as "secret:*", "secret:github-token" or "pii:email".')
  if (where !== undefined) checkException(fieldsOf(where, `${place}.where`), `${place}.where`)
  if (then !== undefined) oneOf(then, REVEALS, `${place}.then`)
}
