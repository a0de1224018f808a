import { tool as aiTool } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { toolResultsOf } from '../../model/index.ts'
import { calls, host, model } from '../agent.fixture.ts'

const PNG = 'iVBORw0KGgo='
const look = aiTool({
  description: () => 'Looks.',
  inputSchema: z.object({ at: z.string().optional() }),
  execute: async () => ({ data: PNG, rows: 1_000 }),
  toModelOutput: ({ output, toolCallId }) => ({
    type: 'content',
    value: [
      { type: 'text', text: `${output.rows} rows for ${toolCallId}` },
      { type: 'image-data', data: output.data, mediaType: 'image/png' },
    ],
  }),
})

describe('a tool with `toModelOutput`', () => {
  it('shows the model that, and everybody else the result', async () => {
    const mind = model([calls('look'), 'Done.'])
    const service = host({ model: mind, tools: { look } })
    const result = await service.run('main', 'Go.')
    const [shown] = toolResultsOf(mind.requests[1]!.messages.at(-1)!)
    expect(shown!.value).toEqual([
      { type: 'text', text: expect.stringMatching(/^1000 rows for ./) as string },
      { type: 'image-data', data: PNG, mediaType: 'image/png' },
    ])
    expect(result.actions).toMatchObject([{ output: { rows: 1_000 } }])
    expect(await service.replay(result.id)).toMatchObject({ identical: true })
    expect((await service.messages(result.id)).flatMap(toolResultsOf)).toEqual([shown])
  })

  it.each(['block', 'redact'])('is filtered in what it shows as well: %s', async (then) => {
    const mind = model([calls('look'), 'Done.'])
    const telling = { ...look, toModelOutput: () => ({ type: 'text', value: 'the word is swordfish' }) }
    const content = [{ id: 'word', on: ['tool-output'], words: ['swordfish'], then }]
    const service = host({ model: mind, tools: { look: telling }, mandate: { content } as never })
    const { id } = await service.run('main', 'Go.')
    const told = JSON.stringify(mind.requests[1]!.messages)
    expect(told).not.toContain('swordfish')
    expect(told).toContain(then === 'block' ? 'withheld' : 'the word is')
    expect(await service.replay(id)).toMatchObject({ identical: true })
  })

  it('that fails is still a call that succeeded', async () => {
    const mind = model([calls('look'), 'Done.'])
    const broken = {
      ...look,
      toModelOutput: () => {
        throw new Error('no view')
      },
    }
    const result = await host({ model: mind, tools: { look: broken } }).run('main', 'Go.')
    expect(result.actions).toMatchObject([{ output: { rows: 1_000 } }])
    expect(JSON.stringify(mind.requests[1]!.messages)).toContain('no view')
  })
})

it('a description that is a function reaches the model', async () => {
  const mind = model(['Done.'])
  await host({ model: mind, tools: { look } }).run('main', 'Go.')
  expect(mind.requests[0]!.tools).toMatchObject([{ name: 'look', description: 'Looks.' }])
})

it.each([
  ['a Buffer', () => Buffer.from(PNG, 'base64')],
  ['a Blob', () => new Blob([Buffer.from(PNG, 'base64')])],
])('%s that a tool returns reaches the model as a picture, and is the same on replay', async (_, give) => {
  const mind = model([calls('look'), 'Done.'])
  const shot = { name: 'look', description: 'Looks.', inputSchema: z.object({}), execute: async () => give() }
  const service = host({ model: mind, tools: [shot] })
  const result = await service.run('main', 'Go.')
  const [shown] = toolResultsOf(mind.requests[1]!.messages.at(-1)!)
  expect(shown!.value).toEqual({ type: 'image', mediaType: 'image/png', data: PNG })
  expect(await service.replay(result.id)).toMatchObject({ identical: true })
})
