import { delay, systemClock } from '../../core/index.ts'
import type { ModelFailureInfo } from '../../model/index.ts'
import { type ModelCase, ask, callWith, failureOf, request } from './case.ts'

/** A timeout that is long enough for a loaded machine, and short enough for a test. */
const PATIENCE_MS = 5_000

function inTime<T>(ending: Promise<T>): Promise<T | 'still running'> {
  return Promise.race([ending, delay(systemClock, PATIENCE_MS).then(() => 'still running' as const)])
}

export const endingCases: readonly ModelCase[] = [
  {
    name: 'a refusal keeps its status and its words, and is not to be tried again',
    behaviour: { kind: 'fail', status: 400, message: 'No such parameter.' },
    async check({ model, expect }) {
      const { code, message, info } = await failureOf(ask(model))
      expect(code).toBe('MODEL_FAILED')
      expect(message.includes('No such parameter.')).toBe(true)
      expect((info as ModelFailureInfo).retriable).toBe(false)
      expect((info as ModelFailureInfo).status).toBe(400)
    },
  },
  {
    name: 'a provider that is busy may be tried again, after the time it asked for',
    behaviour: { kind: 'fail', status: 429, message: 'Slow down.', retryAfterMs: 3_000 },
    async check({ model, expect }) {
      const { code, info } = await failureOf(ask(model))
      expect(code).toBe('MODEL_FAILED')
      expect((info as ModelFailureInfo).retriable).toBe(true)
      expect((info as ModelFailureInfo).status).toBe(429)
      expect((info as ModelFailureInfo).retryAfterMs).toBe(3_000)
    },
  },
  {
    name: 'a provider that failed may be tried again',
    behaviour: { kind: 'fail', status: 503, message: 'Out of order.' },
    async check({ model, expect }) {
      const { info } = await failureOf(ask(model))
      expect((info as ModelFailureInfo).retriable).toBe(true)
    },
  },
  {
    name: 'an answer that breaks off is a failure, not half an answer',
    behaviour: { kind: 'break', text: 'Half of' },
    async check({ model, expect }) {
      const { code, info } = await failureOf(ask(model))
      expect(code).toBe('MODEL_FAILED')
      expect((info as ModelFailureInfo).retriable).toBe(true)
    },
  },
  {
    name: 'a call that was cut before it began asks nothing',
    behaviour: { kind: 'say', text: 'Too late.' },
    async check({ model, expect }) {
      const { code } = await failureOf(ask(model, request, AbortSignal.abort()))
      expect(code).toBe('CANCELLED')
    },
  },
  {
    name: 'a call that is cut in the middle ends at once',
    behaviour: { kind: 'hang', text: 'Well' },
    async check({ model, expect }) {
      const cutter = new AbortController()
      const failure = failureOf(ask(model, request, cutter.signal))
      systemClock.timer(30, () => cutter.abort())
      const ended = await inTime(failure)
      expect(ended === 'still running' ? ended : ended.code).toBe('CANCELLED')
    },
  },
  {
    name: 'a consumer that stops reading is released at once',
    behaviour: { kind: 'hang', text: 'Well then' },
    async check({ model, expect }) {
      const reading = (async () => {
        for await (const part of model.stream(request, callWith())) if (part.type === 'text-delta') return 'stopped'
        return 'nothing was said'
      })()
      expect(await inTime(reading)).toBe('stopped')
    },
  },
]
