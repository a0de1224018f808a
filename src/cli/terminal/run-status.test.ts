import { expect, test } from 'vitest'
import type { MandateEvent } from '../../journal/index.ts'
import { RunStatus } from './run-status.ts'

function status() {
  let now = 0
  const shown = new RunStatus(() => now)
  const take = (type: string, key: string, data: object, runId = 'run_1'): void =>
    shown.take({ type, key, runId, data } as unknown as MandateEvent)
  return { shown, take, pass: (ms: number) => (now += ms) }
}

test('names the turn, the tool and how long it takes, and what was spent so far', () => {
  const { shown, take, pass } = status()
  expect(shown.text(350)).toBe('working · 0.3 s')
  take('step-start', '', { turn: 3 })
  take('effect-start', 'm', { kind: 'model', name: 'openai/gpt-5' })
  take('effect-end', 'm', { spent: { totalTokens: 3_412, money: 0.012 } })
  take('effect-start', 't', { kind: 'tool', name: 'search_orders' })
  pass(1_200)
  expect(shown.text(12_000)).toBe('turn 3 · tool search_orders 1.2 s · 12 s, 3412 tokens, $0.0120')
  take('effect-end', 't', { spent: {} })
  expect(shown.text(75_000)).toBe('turn 3 · working · 1 min 15 s, 3412 tokens, $0.0120')
})

test('counts what a child run spends once, and keeps the turn of the run that was started', () => {
  const { shown, take } = status()
  take('step-start', '', { turn: 1 })
  take('effect-start', 'c', { kind: 'agent', name: 'scout' })
  take('step-start', '', { turn: 7 }, 'run_1.c')
  take('effect-start', 'm', { kind: 'model', name: 'scripted' }, 'run_1.c')
  take('effect-end', 'm', { spent: { inputTokens: 8, outputTokens: 2 } }, 'run_1.c')
  take('effect-end', 'c', { spent: { totalTokens: 10 } })
  expect(shown.text(0)).toBe('turn 1 · working · 0.0 s, 10 tokens')
})
