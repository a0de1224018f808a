import type { ModelRequest } from '../model.ts'
import type { AnswerFacts } from './answer-schema.ts'
import { withAnswerForm } from './answer-schema.ts'
import { withMessageOrder } from './message-order.ts'
import type { ProviderRules } from './rules.ts'
import { ToolNames, toolNamesIn, withNames } from './tool-names.ts'
import { acceptedTool } from './tool-schemas.ts'

interface KeptRequest {
  readonly request: ModelRequest
  readonly names: ToolNames
}

/** The request in the form that this provider accepts; it means the same. `names` gives the tools in its answer their own names back. */
export function keepRules(
  given: ModelRequest,
  rules: ProviderRules,
  { taken, ...facts }: AnswerFacts & { readonly taken?: readonly string[] | undefined } = {},
): KeptRequest {
  const names = new ToolNames(toolNamesIn(given), rules, taken)
  const named = withNames(given, names)
  const formed = withAnswerForm(named, rules, facts)
  const messages = withMessageOrder(formed.messages, rules)
  const tools = rules.anySchema === true ? formed.tools : formed.tools?.map(acceptedTool)
  return { request: { ...formed, messages, ...(tools === undefined ? {} : { tools }) }, names }
}
