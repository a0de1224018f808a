import { completed } from './completion.ts'
import type { Expression, FunctionNode, Statement, Target } from './parser/ast.ts'
import { mentions } from './scope.ts'

/** Parameters with the names of script globals: without them, the body reads the same values. */
const GIVEN: readonly string[] = ['args', 'tools']

/**
 * Returns the statements to run. A program that consists of one function (`async () => { … }`, `async function main() { … }`) is meant to be called, as in
 * other code modes: its body becomes the program. In all other programs the last expression is the value.
 */
export function programBody(body: readonly Statement[]): readonly Statement[] {
  const written = body.filter(({ type }) => type !== 'empty')
  const [only] = written
  if (written.length > 1 && written.every(({ type }) => type === 'function-declaration')) return withMain(body)
  if (written.length !== 1 || only === undefined) return completed(body)
  if (only.type === 'expression' && only.value.type === 'function' && isCallable(only.value))
    return isRecursive(only.value, only.value.name) ? [result(callOf(only.value))] : bodyOf(only.value)
  if (only.type === 'function-declaration' && isCallable(only.value))
    return isRecursive(only.value, only.name)
      ? [only, result(callOf({ type: 'identifier', start: only.start, name: only.name }))]
      : bodyOf(only.value)
  return completed(body)
}

/** Adds a call of `main` to a program that only declares functions. */
function withMain(body: readonly Statement[]): readonly Statement[] {
  const main = body.findLast((one) => one.type === 'function-declaration' && one.name === 'main')
  if (main?.type !== 'function-declaration' || !isCallable(main.value) || main.value.parameters.length > 0) return body
  return [...body, result(callOf({ type: 'identifier', start: main.start, name: main.name }))]
}

/** Whether a function can be called by a script: other parameters would need arguments that no script has. */
function isCallable({ parameters, rest }: FunctionNode): boolean {
  return rest === undefined && parameters.every(isGiven)
}

function isGiven(parameter: Target): boolean {
  return parameter.type === 'identifier' && GIVEN.includes(parameter.name)
}

/** Whether a function refers to itself, so that it must keep its name and its parameters. */
function isRecursive({ body }: FunctionNode, name: string | undefined): boolean {
  return name !== undefined && mentions(body, [name])
}

function bodyOf({ body, start }: FunctionNode): readonly Statement[] {
  return 'type' in body ? [{ type: 'return', start, value: body }] : body
}

function callOf(callee: Expression): Expression {
  return { type: 'call', start: callee.start, callee, args: [], isOptional: false }
}

function result(value: Expression): Statement {
  return { type: 'return', start: value.start, value }
}
