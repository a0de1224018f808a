import { writeArguments } from '../provider/plain-parts.ts'
import { resultContent } from '../message/model-messages.ts'
import type { TurnHooks } from '../turn/turn-hooks.ts'
import type { AtlasListeners } from './atlas-events.ts'

/** Emits the events of a turn under the names of Atlas. Whole answers emit no `stream:` events. */
export function newsTeller(listeners: AtlasListeners, isStreamed: boolean): TurnHooks['tell'] {
  return (news, context) => {
    const { streamId } = context
    const tell = (name: string, payload: object): void => listeners.emit(name, payload, context)
    switch (news.type) {
      case 'start':
        return isStreamed ? tell('stream:start', news.resumed ? { streamId, resumed: true } : { streamId }) : undefined
      case 'text':
        return isStreamed ? tell('stream:chunk', { chunk: { type: 'text', text: news.text }, streamId }) : undefined
      case 'end': {
        const { type: _type, ...how } = news
        return isStreamed ? tell('stream:end', { streamId, ...how }) : undefined
      }
      case 'called': {
        const { name, toolCallId } = news.call
        return tell('tool:called', { tool: name, args: writeArguments(news.call), toolCallId, streamId })
      }
      case 'result': {
        const { status, result } = resultContent(news.result)
        const { name, toolCallId } = news.call
        return tell('tool:result', { tool: name, toolCallId, status, result, streamId })
      }
      case 'received':
        return tell('message:received', news.message)
      case 'error':
        return tell('error', news.error)
    }
  }
}
