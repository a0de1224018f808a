import { createOpenAI } from '@ai-sdk/openai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { inMemory, inMemoryDatabase, inMemoryPrompts } from '../../memory/index.ts'
import { toolRegistry } from '../../tool/index.ts'
import { model, tool } from '../agent.fixture.ts'
import type { AgentConfig } from './config-types.ts'
import { readConfig } from './config.ts'
import { planSteps } from './strategies.ts'

const mind = model(['Hello.'])
const other = model(['Hi.'], { name: 'other' })
const gpt = createOpenAI({ apiKey: 'k' })('gpt-5')
const read = (config: object) => readConfig({ model: mind, ...config })
const refused = (config: unknown) => {
  try {
    readConfig(config as AgentConfig)
  } catch (error) {
    return error as { code: string; message: string }
  }
  throw new Error('it was accepted')
}

describe('a configuration', () => {
  it('has defaults for everything but the model', () => {
    expect(readConfig({ model: mind })).toMatchObject({
      id: 'agent',
      name: 'agent',
      description: '',
      systemPrompt: '',
      models: [mind],
      tools: [],
      agents: [],
      maxTurns: 20,
      maxTokens: undefined,
      mandate: {},
      hooks: [],
      history: {},
      metadata: {},
    })
  })

  it.each([
    [{ instructions: 'Be brief.' }, { systemPrompt: 'Be brief.' }],
    [{ prompt: 'Go.' }, { taskPrompt: 'Go.' }],
    [{ policyProfile: 'strict' }, { mandate: { profile: 'strict' } }],
    [
      { policyProfile: 'strict', mandate: { profile: 'strict', deny: ['x'] } },
      { mandate: { profile: 'strict', deny: ['x'] } },
    ],
    [{ budget: { steps: 3 } }, { mandate: { budget: { steps: 3 } } }],
    [
      { budget: { steps: 3, money: 1 }, mandate: { budget: { money: 1, steps: 3 } } },
      { mandate: { budget: { steps: 3, money: 1 } } },
    ],
    [{ name: 'The Writer' }, { id: 'The-Writer', name: 'The Writer' }],
    [
      { id: 'writer', name: 'The Writer' },
      { id: 'writer', name: 'The Writer' },
    ],
    [{ model: 'model', models: [mind] }, { models: [mind] }],
    [{ model: 'scripted/other', models: [mind, other] }, { models: [other, mind] }],
    [{ model: undefined, models: [other, mind] }, { models: [other, mind] }],
    [{ model: mind, models: [mind, other], fallbackModel: other }, { models: [mind, other] }],
    [{ fallbackModel: other }, { models: [mind, other] }],
    [{ model: gpt, models: [gpt], fallbackModel: other }, { models: [{ id: 'openai/gpt-5' }, other] }],
    [{ fallbackProvider: gpt }, { fallbackTool: { id: 'openai/gpt-5', provider: 'openai' } }],
    [{ fallbackProvider: other }, { models: [mind], fallbackTool: other }],
    [{ fallbackProvider: mind }, { models: [mind], fallbackTool: mind }],
    [{ model: undefined, planner: planSteps() }, { models: [] }],
    [{ model: undefined, runner: { run: async () => ({ text: '' }) } }, { models: [] }],
    [{ tools: { look: { execute: () => 1 } } }, { tools: [{ name: 'look' }] }],
    [{ description: '', instructions: '' }, { description: '' }],
    [{ outputRetries: 0, output: z.object({}) }, { output: { retries: 0 } }],
    [
      { sessionId: 's1', temperature: 0 },
      { sessionId: 's1', temperature: 0 },
    ],
    [{ metadata: { team: 'blue' }, description: undefined }, { metadata: { team: 'blue' } }],
  ])('%j is read as it is meant', (given, meant) => {
    expect(read(given)).toMatchObject(meant)
  })

  it.each([
    [{ policyProfile: 'strict', mandate: { profile: 'managed' } }, 'policyProfile', 'mandate.profile'],
    [{ budget: { steps: 1 }, mandate: { budget: { steps: 2 } } }, 'budget', 'mandate.budget'],
  ])('that says two things about one is refused: %#', (config, first, second) => {
    expect(refused({ model: mind, ...config })).toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(new RegExp(`\`${first}\` and \`${second}\` .*disagree`)),
    })
  })

  it.each([
    ['Instructions', 'instructions'],
    ['maxTurn', 'maxTurns'],
    ['max_turns', 'maxTurns'],
    ['tool', 'tools'],
    ['model_s', 'models'],
    ['instruction', 'instructions'],
    ['memory_client', 'memoryClient'],
  ])('with the unknown field %s is refused, with what was probably meant', (field, meant) => {
    expect(refused({ model: mind, [field]: 1 }).message).toBe(
      `\`${field}\` is not a field of an agent. Did you mean \`${meant}\`?`,
    )
  })

  it.each([
    ['systemPrompt', 'instructions'],
    ['taskPrompt', 'prompt'],
    ['maxSteps', 'maxTurns'],
    ['provider', 'model'],
    ['modelProviders', 'models'],
  ])('with the name %s of other libraries is refused, with ours and where theirs is read', (field, ours) => {
    expect(refused({ model: mind, [field]: 'x' })).toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(
        `\`${field}\` is called \`${ours}\` here. \`LoopAgent\` of mandate/compat`,
      ) as string,
    })
  })

  it('with a field like nothing else is refused with all that there are', () => {
    expect(refused({ model: mind, colour: 'red' }).message).toMatch(
      /`colour` is not a field.*Known: id, name,.*metadata/,
    )
  })

  it.each([
    ['id', 7],
    ['name', {}],
    ['description', 7],
    ['instructions', 7],
    ['instructions', {}],
    ['instructions', { template: '' }],
    ['instructions', { template: 'x', params: 7 }],
    ['instructions', []],
    ['prompt', ['a']],
    ['model', 7],
    ['model', {}],
    ['model', null],
    ['models', mind],
    ['models', [mind, 'x']],
    ['selectModel', 'cheapest'],
    ['fallbackModel', 'x'],
    ['fallbackProvider', {}],
    ['tools', 'all'],
    ['tools', null],
    ['toolPacks', 'files'],
    ['toolPacks', [7]],
    ['toolRegistry', {}],
    ['agents', 'writer'],
    ['agents', [{}]],
    ['maxTurns', 0],
    ['maxTurns', 2.5],
    ['maxTurns', '20'],
    ['maxTurns', Number.NaN],
    ['maxTokens', Number.POSITIVE_INFINITY],
    ['temperature', 'hot'],
    ['temperature', -1],
    ['sessionId', 7],
    ['mandate', 'strict'],
    ['mandate', []],
    ['policyProfile', 3],
    ['budget', 100],
    ['hooks', () => {}],
    ['hooks', [1]],
    ['runner', () => {}],
    ['planner', { plan: 'x' }],
    ['executor', null],
    ['reflector', {}],
    ['output', 'json'],
    ['outputRetries', -1],
    ['outputRetries', 'two'],
    ['history', 10],
    ['history', { maxMessages: 0 }],
    ['history', { maxTokens: '1000' }],
    ['history', { compact: 'yes' }],
    ['history', { maxMessage: 3 }],
    ['memoryClient', new Map()],
    ['databaseClient', {}],
    ['promptStore', []],
    ['hydrate', 'notes'],
    ['hydrate', {}],
    ['hydrate', { collection: 'notes', limit: 0 }],
    ['metadata', 'blue'],
  ])('with a `%s` that cannot be meant (%j) is refused by the name of the field', (field, value) => {
    const error = refused({ model: mind, [field]: value })
    expect(error.code).toBe('CONFIG_INVALID')
    expect(error.message).toContain(`\`${field}\``)
  })

  it.each([undefined, null, 'agent', 7, [], () => {}])('that is %j is refused', (config) => {
    expect(refused(config)).toMatchObject({ code: 'CONFIG_INVALID', message: expect.stringContaining('object') })
  })

  it.each([
    [{}, /`model` is missing/],
    [{ model: 'gpt' }, /`model` is the name "gpt", but no model is given/],
    [{ model: 'gpt', models: [mind] }, /the given models are scripted\/model/],
    [{ model: mind, fallbackModel: model(['x']) }, /two models under the id "scripted\/model"/],
    [{ model: mind, fallbackProvider: model(['x']) }, /two models under the id "scripted\/model"/],
    [{ model: mind, toolPacks: ['files'] }, /`toolPacks` needs `toolRegistry`/],
    [{ model: mind, agents: ['look'], tools: [tool('look')] }, /"look", which is a tool as well/],
    [{ model: mind, tools: [tool('look'), tool('look')] }, /Two tools are named "look"/],
    [{ model: mind, tools: [{ name: 'x' }] }, /Tool "x": `run` is missing/],
    [
      { model: mind, instructions: { template: 'greeting' } },
      /`instructions` is the template "greeting". Give the `promptStore`/,
    ],
    [{ model: mind, hydrate: { collection: 'notes' } }, /`hydrate` needs a `databaseClient`/],
    [{ model: mind, output: { type: 'array' } }, /`output` has the type "array"\. It must be the schema of an object/],
    [{ model: mind, mandate: { profil: 'strict' } }, /profile/],
    [{ model: mind, policyProfile: 'lax' }, /local-permissive, strict, managed|lax/],
    [{ model: mind, budget: { moneyz: 1 } }, /budget\.moneyz/],
  ])('whose parts do not go together is refused with the fix: %#', (config, message) => {
    expect(refused(config).message).toMatch(message)
  })

  it.each(['a b', '../x', 'a/b', '', '.', '-x', 'x'.repeat(200)])('with the id %j is refused', (id) => {
    expect(refused({ model: mind, id })).toMatchObject({ code: 'ID_INVALID' })
    expect(refused({ model: mind, sessionId: id })).toMatchObject({ code: 'ID_INVALID' })
  })

  it('takes the tools of its packs, each once', () => {
    const registry = toolRegistry()
    const shared = tool('shared')
    registry.registerPack('files', [shared, tool('read')])
    const spec = read({ toolRegistry: registry, toolPacks: ['files'], tools: [shared] })
    expect(spec.tools.map(({ name }) => name)).toEqual(['shared', 'read'])
    expect(() => read({ toolRegistry: registry, toolPacks: ['shell'] })).toThrow(
      expect.objectContaining({ code: 'NOT_FOUND' }),
    )
  })

  it('accepts every client of the memory room', () => {
    const clients = { memoryClient: inMemory(), databaseClient: inMemoryDatabase(), promptStore: inMemoryPrompts() }
    const spec = read({
      ...clients,
      instructions: { template: 'x', params: { a: 1 } },
      hydrate: { collection: 'notes' },
    })
    expect(spec).toMatchObject({
      memory: clients.memoryClient,
      database: clients.databaseClient,
      prompts: clients.promptStore,
    })
  })

  it('is read once: what its author changes afterwards changes nothing', () => {
    const config = { model: mind, agents: ['writer'], hooks: [], metadata: { team: 'blue' } }
    const spec = readConfig(config)
    config.agents.push('editor')
    config.metadata.team = 'red'
    expect(spec.agents).toEqual(['writer'])
    expect(spec.metadata).toEqual({ team: 'blue' })
    expect(Object.isFrozen(spec)).toBe(true)
  })
})
