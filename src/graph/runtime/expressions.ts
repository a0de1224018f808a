import { MandateError, messageOf } from '../../core/index.ts'
import type { Json, JsonObject } from '../../core/index.ts'
import { compileExpr, parseCondition } from '../../expr/index.ts'

/** The scope of a graph's expressions: the state, the node's result, and the item that it was sent. */
export interface Sight {
  readonly state: JsonObject
  readonly result?: Json | undefined
  readonly item?: Json | undefined
}

export type Expression = (sight: Sight) => Json

/** Compiles an expression of a blueprint. `where` names it in errors, for example `the condition of node "ask"`. */
export function expressionOf(text: string, where: string): Expression {
  let run: (scope: Sight) => unknown
  try {
    run = compileExpr<Sight>(parseCondition(text), {
      names: { state: ({ state }) => state, result: ({ result }) => result ?? null, item: ({ item }) => item ?? null },
    })
  } catch (error) {
    throw new MandateError('EXPR_INVALID', `${messageOf(error)} It is ${where}: ${text}`, { cause: error })
  }
  return (sight) => {
    try {
      return (run(sight) ?? null) as Json
    } catch (error) {
      const code = MandateError.isInstance(error) ? error.code : 'EXPR_FAILED'
      throw new MandateError(code, `${messageOf(error)} It is ${where}: ${text}`, { cause: error })
    }
  }
}

/** Compiles a text with `{{ expression }}` in it. Texts are inserted as they are, other values as JSON. */
export function templateOf(text: string, where: string): (sight: Sight) => string {
  const parts = text.split(/\{\{(.*?)\}\}/su)
  const compiled = parts.map((part, index) => (index % 2 === 0 ? part : expressionOf(part.trim(), where)))
  return (sight) => compiled.map((part) => (typeof part === 'string' ? part : textFrom(part(sight)))).join('')
}

/** A value as text for a prompt. */
export function textFrom(value: Json): string {
  return value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value)
}
