import type { AiSdkResponseMessage } from './agent-shapes.ts'
import type { AiSdkContent } from './part-shapes.ts'

/** The result of a step as messages for the next call. */
export function responseMessages(content: readonly AiSdkContent[]): AiSdkResponseMessage[] {
  const said = content.flatMap(saidPart)
  const given = content.flatMap(givenPart)
  return [
    ...(said.length === 0 ? [] : [{ role: 'assistant' as const, content: said as never[] }]),
    ...(given.length === 0 ? [] : [{ role: 'tool' as const, content: given as never[] }]),
  ]
}

function saidPart(part: AiSdkContent): object[] {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return part.text === '' && part.providerMetadata === undefined
        ? []
        : [{ type: part.type, text: part.text, ...optionsOf(part) }]
    case 'file':
      return [{ type: 'file', data: part.file.base64, mediaType: part.file.mediaType, ...optionsOf(part) }]
    case 'tool-call': {
      const { toolCallId, toolName, input, providerExecuted } = part
      const sent = part.invalid === true ? {} : input
      return [
        {
          type: 'tool-call',
          toolCallId,
          toolName,
          input: sent,
          ...(providerExecuted === true ? { providerExecuted } : {}),
          ...optionsOf(part),
        },
      ]
    }
    case 'tool-approval-request': {
      const { approvalId, toolCall, reason, isAutomatic } = part
      return [
        {
          type: part.type,
          approvalId,
          toolCallId: toolCall.toolCallId,
          ...(reason === undefined ? {} : { reason }),
          ...(isAutomatic === undefined ? {} : { isAutomatic }),
        },
      ]
    }
    case 'tool-result':
    case 'tool-error':
      return part.providerExecuted === true ? [resultPart(part)] : []
    case 'tool-approval-response':
      return []
  }
}

function givenPart(part: AiSdkContent): object[] {
  if (part.type === 'tool-approval-response') {
    const { approvalId, approved, reason, toolCall } = part
    const { toolCallId, toolName } = toolCall
    const denied = { type: 'tool-result', toolCallId, toolName, output: { type: 'execution-denied', reason } }
    return [{ type: part.type, approvalId, approved, reason }, ...(approved ? [] : [denied])]
  }
  const isGiven = (part.type === 'tool-result' || part.type === 'tool-error') && part.providerExecuted !== true
  return isGiven ? [resultPart(part)] : []
}

function resultPart(part: Extract<AiSdkContent, { type: 'tool-result' | 'tool-error' }>): object {
  const { toolCallId, toolName } = part
  const value = part.type === 'tool-result' ? part.output : part.error
  const form = typeof value === 'string' ? 'text' : 'json'
  return {
    type: 'tool-result',
    toolCallId,
    toolName,
    output: { type: part.type === 'tool-result' ? form : `error-${form}`, value },
  }
}

/** The metadata of a part is sent back on the same part. */
function optionsOf({ providerMetadata }: { providerMetadata?: object }): { providerOptions?: object } {
  return providerMetadata === undefined ? {} : { providerOptions: providerMetadata }
}
