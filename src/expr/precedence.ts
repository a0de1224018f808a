/** Binary operators of JavaScript, the loosest first. Scripts have all of them, conditions a part. */
const LEVELS = [
  '??',
  '||',
  '&&',
  '|',
  '^',
  '&',
  '== != === !==',
  '< <= > >= in instanceof',
  '<< >> >>>',
  '+ -',
  '* / %',
  '**',
]

/** Precedence of binary operators, from 1 for the loosest. The condition parser, the printer and the script parser use this table. */
export const PRECEDENCE: ReadonlyMap<string, number> = new Map(
  LEVELS.flatMap((level, index) => level.split(' ').map((op): [string, number] => [op, index + 1])),
)

/** The precedence of an operator that is known to be one. */
export function precedenceOf(op: string): number {
  return PRECEDENCE.get(op)!
}

/** Operators that a condition must not mix without parentheses share a level there: `??` and `||`, and all comparisons. */
export function conditionLevel(op: string): number | undefined {
  if (!CONDITION_OPERATORS.has(op)) return undefined
  if (op === '??') return precedenceOf('||')
  return /^[=!]/.test(op) ? precedenceOf('<') : precedenceOf(op)
}

/** The binary operators of conditions but `**`, which binds to the right and more tightly than a sign. */
const CONDITION_OPERATORS: ReadonlySet<string> = new Set('?? || && == != === !== < <= > >= + - * / %'.split(' '))
