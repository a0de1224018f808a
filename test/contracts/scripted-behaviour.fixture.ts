import type { ScriptedStep } from '../../src/model/index.ts'
import type { ModelBehaviour } from '../../src/testing/model-conformance.ts'

/** The step of a scripted model that behaves as a case of `modelConformance` asks. */
export function scriptFor(behaviour: ModelBehaviour): Exclude<ScriptedStep, (...args: never[]) => unknown> {
  switch (behaviour.kind) {
    case 'say':
    case 'say-unknown':
      return { text: behaviour.text, ...('usage' in behaviour ? { usage: behaviour.usage } : {}) }
    case 'call':
      return { toolCalls: behaviour.calls }
    case 'call-raw':
      return { toolCalls: [{ name: 'look', rawInput: behaviour.rawInput }] }
    case 'fail':
      return { error: behaviour.message, status: behaviour.status, retryAfterMs: behaviour.retryAfterMs }
    case 'break':
      return { error: 'the connection broke', text: behaviour.text, retriable: true }
    case 'hang':
      return { hang: true, text: behaviour.text }
  }
}
