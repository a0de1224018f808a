import { MandateError, isRecord, toPlain } from '../../../core/index.ts'
import type { JsonObject } from '../../../core/index.ts'
import { isCommand } from '../command.ts'
import type { Command } from '../command.ts'
import { graphContext } from '../graph-context.ts'
import type { GraphContext } from '../graph-context.ts'
import type { NodeResult, Target } from '../node-result.ts'
import type { NodeTask } from './node-task.ts'

/** The function of a node: reads the state, and returns values to write to channels. */
export type NodeFunction = (state: JsonObject, context: GraphContext) => unknown

/** Calls the function of a node. */
export async function callFunction(task: NodeTask, run: NodeFunction): Promise<NodeResult> {
  return resultFrom(await run(task.state, graphContext(task)), task.node.name)
}

/** The return value of a function as the result of its node. */
export function resultFrom(given: unknown, node: string): NodeResult {
  if (given === undefined || given === null) return {}
  if (isCommand(given)) return commanded(given, node)
  return { update: updateFrom(given, node) }
}

function commanded({ update, goto, result }: Command, node: string): NodeResult {
  return {
    ...(update === undefined ? {} : { update: updateFrom(update, node) }),
    ...(goto === undefined ? {} : { goto: goto.map((target) => targetFrom(target, node)) }),
    ...(result === undefined ? {} : { result: toPlain(result).value }),
  }
}

/** An item to be sent is journaled, so it is converted to plain data; `undefined` becomes `null`. */
function targetFrom(target: Target, node: string): Target {
  if (!isRecord(target)) return target
  const { value, issues } = toPlain(target.input ?? null)
  if (issues.length === 0) return { ...target, input: value }
  throw new MandateError(
    'INPUT_INVALID',
    `Node "${node}" sends "${target.to}" what is not plain data: ${issues.join('; ')}.`,
  )
}

function updateFrom(given: unknown, node: string): JsonObject {
  const { value, issues } = toPlain(given)
  if (issues.length > 0)
    throw new MandateError(
      'INPUT_INVALID',
      `Node "${node}" gave an update that is not plain data: ${issues.join('; ')}.`,
    )
  if (isRecord(value)) return value
  throw new MandateError(
    'INPUT_INVALID',
    `Node "${node}" gave ${JSON.stringify(value).slice(0, 60)}. Give an object with values for channels, or \`command(...)\`.`,
  )
}
