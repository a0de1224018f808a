import { MandateError, unknownField } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { CapabilityHandle } from '../../vm/index.ts'
import type { ContextFacts } from '../context/context.ts'
import { contextToolName } from '../context/context-tools.ts'
import { CONTEXT_OPERATIONS, contextInput } from '../context/operations.ts'
import { mergedLabels } from './call-labels.ts'
import { oneEffect } from './planned-call.ts'
import type { PlannedCall } from './planned-call.ts'

/** The request kind of the methods of `context`. */
export const CONTEXT_KIND = 'context'

/** Creates the `context` object of cells: its known facts and its methods. Passed to a call, it represents the part that covers the whole content. */
export function contextMembers({ label, ref, length, bytes, lineCount }: ContextFacts): CapabilityHandle {
  const methods = CONTEXT_OPERATIONS.map(({ name }) => [name, { kind: CONTEXT_KIND, name, takesAll: true }] as const)
  const members = { label, length, bytes, lineCount, ...Object.fromEntries(methods) }
  return new CapabilityHandle(members, { context: ref, from: 0, to: length })
}

/** Plans `context.<method>(...)`: a call of a tool that reads the content given to the session. */
export function contextCall(method: string, args: Json, ref: string | undefined): PlannedCall {
  const operation = CONTEXT_OPERATIONS.find(({ name }) => name === method)
  if (operation === undefined || ref === undefined) {
    const names = CONTEXT_OPERATIONS.map(({ name }) => name)
    throw new MandateError('NOT_FOUND', `${unknownField(method, 'a method of `context` in this session', names)}.`)
  }
  const name = contextToolName(method)
  const given = contextInput(operation, args as readonly Json[])
  return {
    kind: 'context',
    name,
    perform: oneEffect((labels) => ({
      kind: 'tool',
      name,
      input: { context: ref, ...given },
      labels: mergedLabels(labels),
    })),
    detail: () => ({ arguments: given }),
  }
}
