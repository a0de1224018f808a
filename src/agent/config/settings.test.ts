import { describe, expect, it } from 'vitest'
import { settingsFrom } from './settings.ts'

describe('settings from the environment', () => {
  it('have defaults, and leave other variables alone', () => {
    const plain = { dir: '.mandate', profile: undefined, durability: 'sync', includePayloads: false, limits: {} }
    expect(settingsFrom({})).toEqual(plain)
    expect(settingsFrom({ PATH: '/bin', MANDATED: 'x', MANDATE_DIR: '', MANDATE_PROFILE: undefined })).toEqual(plain)
  })

  it("take a slip of the pen for one, and a variable that resembles no setting for somebody else's", () => {
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
    }
    const limits = { parallel: 4, toolTimeoutMs: 1000, modelTimeoutMs: 2000 }
    expect(settingsFrom(environment)).toEqual({
      dir: '/data',
      profile: 'strict',
      durability: 'batch',
      includePayloads: true,
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
  ])('%s=%j is refused, with what could have been meant', (name, value, fix) => {
    expect(() => settingsFrom({ [name]: value })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(fix) }),
    )
    expect(() => settingsFrom({ [name]: value })).toThrow(name)
  })
})
