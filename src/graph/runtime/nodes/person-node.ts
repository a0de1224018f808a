import { isRecord } from '../../../core/index.ts'
import type { Json } from '../../../core/index.ts'
import { textFrom } from '../expressions.ts'
import { askPerson } from '../graph-context.ts'
import type { NodeResult } from '../node-result.ts'
import { hasInput, inputOf, promptOf } from './node-task.ts'
import type { NodeTask } from './node-task.ts'

/** Asks a person. The answer is the result; a text, or the `choice` of a structured answer, is also the label of the route. */
export async function askNode(task: NodeTask): Promise<NodeResult> {
  const { node, context, lanes } = task
  const { options } = node.spec
  const shown = hasInput(task) ? inputOf(task) : undefined
  const text = promptOf(task) ?? textFrom(shown ?? `Node "${node.name}" waits for an answer.`)
  const payload: Json = {
    text,
    ...(options === undefined || options.length === 0 ? {} : { choices: options }),
    ...(shown === undefined ? {} : { value: shown }),
  }
  const result = await askPerson({ context, lanes, name: node.name, payload })
  const label = labelOf(result)
  return { result, ...(label === undefined ? {} : { label }) }
}

function labelOf(answer: Json): string | undefined {
  if (typeof answer === 'string') return answer
  const choice = isRecord(answer) ? answer['choice'] : undefined
  return typeof choice === 'string' ? choice : undefined
}
