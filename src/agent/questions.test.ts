import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Json } from '../core/index.ts'
import { manualClock } from '../core/index.ts'
import { memoryJournal } from '../journal/index.ts'
import { askUser, sleep, waitUntil } from '../tool/index.ts'
import { host, model } from './agent.fixture.ts'

const asks = (input: Json) => ({ toolCalls: [{ name: 'ask_user', input }] })

describe('a tool without a function', () => {
  const locate = {
    name: 'locate',
    inputSchema: { type: 'object', properties: { precise: { type: 'boolean' } } },
    outputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  }
  const script = [{ toolCalls: [{ name: 'locate', input: { precise: true } }] }, 'In Oslo.']

  test('waits for its result, which its output schema checks', async () => {
    const service = host({ id: 'a', model: model(script), tools: [locate] })
    const asked = await service.run('a', 'Where?', { runId: 'r' })
    expect(asked).toMatchObject({ status: 'await_user', suspendReason: 'question' })
    expect(asked.pending[0]).toMatchObject({
      name: 'locate',
      text: 'Carry out "locate" and give its result. Input: {"precise":true}',
    })
    const [open] = await service.approvals()
    await expect(service.answer(open!.id, 'Oslo')).rejects.toThrow('does not fit')
    await service.answer(open!.id, { city: 'Oslo' })
    expect(await service.resume('r')).toMatchObject({ status: 'completed', text: 'In Oslo.' })
    expect((await service.replay('r')).identical).toBe(true)
  })

  test('is denied by its name like any other', async () => {
    const service = host({ id: 'a', model: model(script), tools: [locate], mandate: { deny: ['locate'] } })
    const { status } = await service.run('a', 'Where?', { runId: 'r' })
    expect(status).toBe('completed')
    expect(await service.approvals()).toEqual([])
    expect(JSON.stringify(await service.messages('r'))).toContain('denied')
  })
})

describe('a model that asks a person', () => {
  test('suspends its run with the question, and goes on with the answer in another process', async () => {
    const journal = memoryJournal()
    const make = () =>
      host(
        {
          id: 'a',
          model: model([asks({ question: 'Which colour?', choices: ['red', 'blue'] }), 'Blue it is.']),
          tools: [askUser()],
        },
        { journal },
      )
    const asked = await make().run('a', 'Paint it.', { runId: 'r' })
    expect(asked).toMatchObject({ status: 'await_user', suspendReason: 'question' })
    const [open] = await make().approvals()
    expect(open).toMatchObject({
      reason: 'question',
      name: 'ask_user',
      text: 'Which colour?',
      input: { text: 'Which colour?', choices: ['red', 'blue'] },
    })
    const later = make()
    await expect(later.answer(open!.id, 'green')).rejects.toThrow('The answer must be one of: red, blue.')
    await later.answer(open!.id, 'blue')
    const done = await later.resume('r')
    expect(done).toMatchObject({ status: 'completed', text: 'Blue it is.' })
    expect(JSON.stringify(await later.messages('r'))).toContain('blue')
    expect((await later.replay('r')).identical).toBe(true)
  })

  test('gets an answer with fields only as its schema says, and a refusal as a denied call', async () => {
    const schema = { type: 'object', properties: { seats: { type: 'integer' } }, required: ['seats'] }
    const service = host({
      id: 'a',
      model: model([asks({ question: 'How many?', schema }), asks({ question: 'Sure?' }), 'Fine.']),
      tools: [askUser()],
    })
    await service.run('a', 'Book.', { runId: 'r' })
    const [first] = await service.approvals()
    await expect(service.answer(first!.id, { seats: 'two' })).rejects.toThrow('seats')
    await service.answer(first!.id, { seats: 2 })
    await service.resume('r')
    const [second] = await service.approvals()
    await service.reject(second!.id, 'I will not say')
    const done = await service.resume('r')
    expect(done.status).toBe('completed')
    const said = JSON.stringify(await service.messages('r'))
    expect(said).toContain('"seats":2')
    expect(said).toContain('I will not say')
  })

  test('is told what is wrong with a question that nobody could answer', async () => {
    const service = host({
      id: 'a',
      model: model([
        asks({ question: 'x', schema: { type: 'string', pattern: '(' } }),
        asks({ question: 'x', choices: ['a', 'b'], schema: {} }),
        asks({ text: 'x' }),
        'Given up.',
      ]),
      tools: [askUser()],
    })
    const done = await service.run('a', 'Ask.', { runId: 'r' })
    expect(done.status).toBe('completed')
    expect(await service.approvals()).toEqual([])
    const said = JSON.stringify(await service.messages('r'))
    expect(said).toContain('`schema` cannot be used')
    expect(said).toContain('question')
  })
})

describe('an agent that waits', () => {
  test('sleeps durably, is woken by the service that has the store then, and counts from when it was told to', async () => {
    const journal = memoryJournal()
    const clock = manualClock(1_000_000)
    const script = [{ toolCalls: [{ name: 'sleep', input: { seconds: 3_600 } }] }, 'Awake.']
    const make = () => host({ id: 'a', model: model(script), tools: [sleep()] }, { journal, clock })
    const first = make()
    const asleep = await first.run('a', 'Wait.', { runId: 'r' })
    expect(asleep).toMatchObject({ status: 'await_user', suspendReason: 'timer' })
    const { wakeAt } = (await journal.summary('r'))!
    expect(wakeAt).toBeGreaterThanOrEqual(1_000_000 + 3_600_000)
    expect(wakeAt).toBeLessThan(1_000_000 + 3_601_000)
    await first.stop()
    clock.advance(3_601_000)
    const second = make()
    expect(await second.resume('r')).toMatchObject({ status: 'completed', text: 'Awake.' })
    expect((await second.replay('r')).identical).toBe(true)
  })

  test('waits until a date, not for one that is over, and not longer than it may', async () => {
    const clock = manualClock(Date.parse('2026-01-01T00:00:00Z'))
    const until = (time: string) => ({ toolCalls: [{ name: 'wait_until', input: { time } }] })
    const service = host(
      {
        id: 'a',
        model: model([
          until('2025-01-01T00:00:00Z'),
          until('2026-03-01T00:00:00Z'),
          until('2026-01-01T01:00:00Z'),
          'x',
        ]),
        tools: [waitUntil({ maxSeconds: 86_400 })],
      },
      { clock },
    )
    const asleep = await service.run('a', 'Wait.', { runId: 'r' })
    expect(asleep.suspendReason).toBe('timer')
    expect((await service.journal.summary('r'))!.wakeAt).toBe(Date.parse('2026-01-01T01:00:00Z'))
    expect(JSON.stringify(await service.messages('r'))).toContain('more than 86400 seconds')
  })
})

describe('a tool of the client', () => {
  const trip = z.object({ day: z.string().transform((day) => day.slice(0, 10)), seats: z.number().default(1) })
  const even = trip.refine(({ seats }) => seats < 5, 'at most four seats')
  const pick = { name: 'pick', inputSchema: z.object({}), outputSchema: even }
  const make = () =>
    host({ id: 'a', model: model([{ toolCalls: [{ name: 'pick', input: {} }] }, 'Done.']), tools: [pick] })

  test('gives what its output schema makes of the answer, also on replay', async () => {
    const service = make()
    const { id } = await service.run('a', 'Go.')
    const [question] = await service.approvals(id)
    await expect(service.answer(question!.id, { day: 7 })).rejects.toThrow('does not fit the question')
    await service.answer(question!.id, { day: '2026-05-12T10:00' })
    await service.resume(id)
    expect(JSON.stringify(await service.messages(id))).toContain('"value":{"day":"2026-05-12","seats":1}')
    expect(await service.replay(id)).toMatchObject({ identical: true })
  })

  test('fails where only the schema itself can tell that the answer does not fit, and the model is told why', async () => {
    const service = make()
    const { id } = await service.run('a', 'Go.')
    const [question] = await service.approvals(id)
    await service.answer(question!.id, { day: '2026-05-12', seats: 9 })
    const result = await service.resume(id)
    expect(result).toMatchObject({ status: 'completed', text: 'Done.' })
    expect(JSON.stringify(await service.messages(id))).toContain('at most four seats')
  })
})
