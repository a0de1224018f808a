import { fromAiSdk } from 'mandate/model'
import { type ModelBehaviour } from '../../src/testing/index.ts'
import { modelConformance } from 'mandate/kit'
import { describe, expect, it } from 'vitest'
import { type Answer, events, json, loopback } from './loopback.ts'
import { type Speech, speak, speakCut, speakers } from './speech.ts'
import { type WireName, wires } from './wires.ts'

/** A pretended provider that does as it is told. */
function answerFor(wire: WireName, behaviour: ModelBehaviour): Answer {
  switch (behaviour.kind) {
    case 'say':
      return events(speak(wire, speechOf(behaviour)))
    case 'say-unknown':
      return events(withAnnotation(speak(wire, { text: behaviour.text })))
    case 'call':
      return events(
        speak(wire, {
          calls: behaviour.calls.map(({ toolCallId, name, input }) => ({
            id: toolCallId,
            name,
            input: JSON.stringify(input),
          })),
        }),
      )
    case 'call-raw':
      return events(speak(wire, { calls: [{ id: 'call_1', name: 'look', input: behaviour.rawInput }] }))
    case 'fail': {
      const { status, message, retryAfterMs } = behaviour
      const type = wire === 'anthropic' ? { type: 'error' } : {}
      const body = { ...type, error: { message, type: 'x', code: status, status: 'X' } }
      return json(body, status, retryAfterMs === undefined ? {} : { 'retry-after': String(retryAfterMs / 1_000) })
    }
    case 'break':
      return events(speakCut(wire, { text: behaviour.text }))
    case 'hang':
      return (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write(speakCut(wire, { text: behaviour.text }))
      }
  }
}

function speechOf({ text, usage }: Extract<ModelBehaviour, { kind: 'say' }>): Speech {
  return usage === undefined ? { text } : { text, usage: { input: usage.inputTokens, output: usage.outputTokens } }
}

/** A citation, for which messages have no part. */
function withAnnotation(stream: string): string {
  const citation = {
    type: 'url_citation',
    url_citation: { start_index: 0, end_index: 1, url: 'https://a.example', title: 'A' },
  }
  const delta = { choices: [{ index: 0, delta: { annotations: [citation] }, finish_reason: null }] }
  return `data: ${JSON.stringify({ id: 'chat-1', created: 1, model: 'm', ...delta })}\n\n${stream}`
}

for (const wire of speakers) {
  modelConformance(
    {
      name: `fromAiSdk, ${wires[wire].name}`,
      cannot: [
        ...(wire === 'chat' ? [] : (['say-unknown'] as const)),
        // Its arguments are not a text, so they are always JSON.
        ...(wire === 'google' ? (['call-raw'] as const) : []),
      ],
      async open(behaviour) {
        const server = await loopback(answerFor(wire, behaviour))
        return { model: fromAiSdk(wires[wire].model(server.url)), close: () => server.close() }
      },
    },
    { describe, it, expect },
  )
}
