import { fromAiSdk, textOf, userMessage } from 'mandate/model'
import { toolCallsOf } from '../../src/model/index.ts'
import { describe, expect, test } from 'vitest'
import { ask, goOn } from './conversation.ts'
import { loopback } from './loopback.ts'
import { countsOf, readRaw } from './raw-answers.ts'
import { type Recording, readRecordings } from './recordings.ts'
import { type WireName, wires } from './wires.ts'

const recordings = readRecordings().filter(({ wire }) => wire === 'chat' || wire === 'responses')

/** Plays a recording through an older package and goes on after it. `false` when it is newer than the package can read. */
async function replay(recording: Recording, version: 'V2' | 'V3'): Promise<boolean> {
  await using server = await loopback(recording.answer)
  const wire = `${recording.wire}${version}` as WireName
  const model = fromAiSdk(wires[wire].model(server.url), { streaming: !recording.isWhole })
  const reply = await ask(model, [userMessage('Begin.')]).catch(() => undefined)
  if (reply === undefined) return false
  const raw = readRaw(recording.wire, recording.payloads, recording.isWhole)
  expect(textOf(reply.message), recording.name).toBe(raw.text)
  expect(reply.usage, recording.name).toMatchObject(countsOf(raw, reply))
  const made = new Set(toolCallsOf(reply.message).map((call) => call.toolCallId))
  // The oldest package does not know calls with free text.
  const known = raw.calls.filter((call) => version === 'V3' || typeof call.input !== 'string')
  for (const { id } of known) expect(made.has(id!), `${recording.name}: ${id}`).toBe(true)
  await ask(model, goOn(reply))
  expect(server.asked).toHaveLength(2)
  return true
}

describe.skipIf(recordings.length === 0)('providers of older specifications', () => {
  test.each(['V2', 'V3'] as const)(
    '%s gives the same answers, as far as its package can read them',
    async (version) => {
      const whole = recordings.filter((one) => !one.isError && !one.isBroken)
      const played: string[] = []
      for (const recording of whole) if (await replay(recording, version)) played.push(recording.name)
      expect(played.length).toBeGreaterThan(whole.length * (version === 'V2' ? 0.6 : 0.9))
    },
  )
})
