import { shellTool } from 'mandate/connect'
import { expect, it, vi } from 'vitest'
import { withoutCheck } from '../../src/connect/checks.ts'

// A machine on which programs cannot be isolated, wherever this runs.
vi.mock('../../src/connect/shell/isolation.ts', async (load) => ({
  ...(await load<object>()),
  isolationHere: () => ({ isolation: 'none', holds: [], missing: ['bubblewrap is not installed'] }),
}))

it.each([{}, { isolation: 'required' }] as const)(
  'commands are refused where nothing isolates them: %j',
  async (more) => {
    const options = { root: import.meta.dirname, allow: ['ls'], ...more }
    expect(() => shellTool(options)).toThrow('bubblewrap is not installed')
    expect((await withoutCheck('shell.isolation', () => shellTool(options))).name).toBe('run_command')
  },
)

it('or run without isolation where that is written', () => {
  expect(shellTool({ root: import.meta.dirname, allow: ['ls'], isolation: 'none' }).name).toBe('run_command')
})
