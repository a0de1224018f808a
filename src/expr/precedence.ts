/** Binary operators of JavaScript by precedence, lowest first. Scripts support all of them, conditions a part. */
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

/** Precedence of binary operators, from 1 for the lowest. Used by the condition parser, the printer and the script parser. */
export const PRECEDENCE: ReadonlyMap<string, number> = new Map(
  LEVELS.flatMap((level, index) => level.split(' ').map((op): [string, number] => [op, index + 1])),
)

/** The precedence of a known operator. */
export function precedenceOf(op: string): number {
  return PRECEDENCE.get(op)!
}

/** The precedence in conditions, where operators that must not be mixed without parentheses share a level: `??` and `||`, and all comparisons. */
export function conditionLevel(op: string): number | undefined {
  if (!CONDITION_OPERATORS.has(op)) return undefined
  if (op === '??') return precedenceOf('||')
  return /^[=!]/.test(op) ? precedenceOf('<') : precedenceOf(op)
}

/** The binary operators of conditions except `**`, which is right-associative and binds more tightly than a sign. */
const CONDITION_OPERATORS: ReadonlySet<string> = new Set('?? || && == != === !== < <= > >= + - * / %'.split(' '))
