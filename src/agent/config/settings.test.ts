import { describe, expect, it } from 'vitest'
import type { BusEvent } from '../../core/index.ts'
import { calls, host, model, tool } from '../agent.fixture.ts'
import { settingsFrom } from './settings.ts'
import { withSettings } from './with-settings.ts'

describe('settings from the environment', () => {
  it('have defaults, and leave other variables alone', () => {
    const plain = {
      dir: '.mandate',
      profile: undefined,
      durability: 'sync',
      includePayloads: false,
      sessionFiles: false,
      riskMax: undefined,
      deny: [],
      budget: undefined,
      limits: {},
    }
    expect(settingsFrom({})).toEqual(plain)
    expect(settingsFrom({ PATH: '/bin', MANDATED: 'x', MANDATE_DIR: '', MANDATE_PROFILE: undefined })).toEqual(plain)
  })

  it('refuse a misspelt variable, and ignore one that resembles no setting', () => {
    expect(() => settingsFrom({ MANDATE_PROFIL: 'strict' })).toThrow('Did you mean MANDATE_PROFILE?')
    for (const name of [
      'MANDATE_CI_SECONDS',
      'MANDATE_CASSETTE',
      'MANDATE_FULL',
      'MANDATE_JSON_SCHEMA_SUITE',
      'MANDATE_CRASH',
    ])
      expect(settingsFrom({ [name]: '1' })).toEqual(settingsFrom({}))
  })

  it('are read by name', () => {
    const environment = {
      MANDATE_DIR: '/data',
      MANDATE_PROFILE: 'strict',
      MANDATE_DURABILITY: 'batch',
      MANDATE_INCLUDE_PAYLOADS: 'true',
      MANDATE_PARALLEL: '4',
      MANDATE_TOOL_TIMEOUT_MS: '1000',
      MANDATE_MODEL_TIMEOUT_MS: '2000',
      MANDATE_RESULT_BYTES: '5',
      MANDATE_SESSION_FILES: '1',
      MANDATE_RISK_MAX: 'write',
      MANDATE_DENY: 'shell*, agent:writer',
      MANDATE_BUDGET: 'money=5, timeMs=60000',
    }
    const limits = { parallel: 4, toolTimeoutMs: 1000, modelTimeoutMs: 2000, resultBytes: 5 }
    expect(settingsFrom(environment)).toEqual({
      dir: '/data',
      profile: 'strict',
      durability: 'batch',
      includePayloads: true,
      sessionFiles: true,
      riskMax: 'write',
      deny: ['shell*', 'agent:writer'],
      budget: { money: 5, timeMs: 60_000 },
      limits,
    })
  })

  it.each([
    ['1', true],
    ['true', true],
    ['0', false],
    ['false', false],
  ])('MANDATE_INCLUDE_PAYLOADS=%s is %s', (value, meant) => {
    expect(settingsFrom({ MANDATE_INCLUDE_PAYLOADS: value }).includePayloads).toBe(meant)
  })

  it.each([
    ['MANDATE_PROFILE', 'lax', 'local-permissive, strict, managed'],
    ['MANDATE_DURABILITY', 'fast', 'sync, batch, exit'],
    ['MANDATE_INCLUDE_PAYLOADS', 'yes', '0, 1, false, true'],
    ['MANDATE_PARALLEL', 'many', 'number'],
    ['MANDATE_PARALLEL', '-1', 'number'],
    ['MANDATE_PARALLEL', ' ', 'number'],
    ['MANDATE_PARALLEL', '1e999', 'number'],
    ['MANDATE_TOOL_TIMEOUT_MS', '10s', 'number'],
    ['MANDATE_PROFIL', 'strict', 'MANDATE_PROFILE'],
    ['MANDATE_RISK_MAX', 'low', 'read, write, exec, destructive'],
    ['MANDATE_SESSION_FILES', 'yes', '0, 1, false, true'],
    ['MANDATE_BUDGET', 'money', 'number'],
    ['MANDATE_BUDGET', 'money=-1', 'number'],
    ['MANDATE_LEASE_MS', 'x', 'number'],
  ])('%s=%j is refused, with what could have been meant', (name, value, fix) => {
    expect(() => settingsFrom({ [name]: value })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(fix) }),
    )
    expect(() => settingsFrom({ [name]: value })).toThrow(name)
  })
})

describe('a service with settings', () => {
  const running = async (environment: Record<string, string>, mandate: object = {}) => {
    const made: string[] = []
    const tools = [tool('look', () => made.push('look')), tool('note', () => made.push('note'), { risk: 'write' })]
    const service = host(
      { model: model([calls('look', 'note'), 'Done.']), tools },
      withSettings({ mandate }, environment),
    )
    return { result: await service.run('main', 'Go.'), made }
  }

  it.each<[string, Record<string, string>, object, string[]]>([
    ['nothing', {}, {}, ['look', 'note']],
    ['a denied name', { MANDATE_DENY: 'look' }, {}, ['note']],
    ['a denied name beside those of the code', { MANDATE_DENY: 'look' }, { deny: ['note'] }, []],
    ['a highest risk', { MANDATE_RISK_MAX: 'read' }, {}, ['look']],
    ['a highest risk above that of the code', { MANDATE_RISK_MAX: 'exec' }, { riskMax: 'read' }, ['look']],
  ])('has its mandate narrowed by %s', async (_what, environment, mandate, expected) => {
    const { result, made } = await running(environment, mandate)
    expect(result.status).toBe('completed')
    expect(made).toEqual(expected)
  })

  it('keeps the lower of two budgets, and limits of the code before those of the environment', async () => {
    const environment = { MANDATE_BUDGET: 'modelCalls=1,steps=9', MANDATE_PARALLEL: '3', MANDATE_ATTEMPTS: '5' }
    const { result } = await running(environment)
    expect(result).toMatchObject({ status: 'failed', error: { code: 'LIMIT_EXCEEDED' } })
    const { mandate, limits } = withSettings(
      { mandate: { budget: { modelCalls: 5, steps: 2 } }, limits: { parallel: 1 } },
      environment,
    )
    expect(mandate?.budget).toEqual({ modelCalls: 1, steps: 2 })
    expect(limits).toEqual({ parallel: 1, attempts: 5 })
  })

  it('gives sinks what was said only where the environment asks for it', async () => {
    const seen = async (environment: Record<string, string>): Promise<string> => {
      const events: BusEvent[] = []
      const sinks = [{ name: 'list', write: (event: BusEvent) => void events.push(event) }]
      const service = host({ model: model(['The secret plan.']) }, withSettings({ sinks }, environment))
      await service.run('main', 'Go.')
      await service.stop()
      return JSON.stringify(events)
    }
    expect(await seen({ MANDATE_INCLUDE_PAYLOADS: '1' })).toContain('The secret plan.')
    expect(await seen({})).not.toContain('The secret plan.')
  })
})
