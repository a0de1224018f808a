import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PhaseMachine } from './phase.ts'
import type { Phase } from './phase.ts'

const PHASES: readonly Phase[] = ['planning', 'executing', 'reconciling', 'await_user', 'failed', 'completed']

/** The table, written a second time: from each phase, where one may go. */
const ALLOWED: Record<Phase, string> = {
  planning: 'executing await_user failed',
  executing: 'reconciling await_user failed',
  reconciling: 'planning await_user failed completed',
  await_user: 'planning failed',
  failed: '',
  completed: '',
}

describe('the phases of a run', () => {
  it('follow the table; an illegal move throws, says where one may go, and changes nothing', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...PHASES), { maxLength: 20 }), (moves) => {
        const machine = new PhaseMachine()
        for (const to of moves) {
          const from = machine.current
          if (ALLOWED[from].split(' ').includes(to)) {
            machine.move(to)
            expect(machine.current).toBe(to)
          } else {
            expect(() => machine.move(to)).toThrow(
              expect.objectContaining({
                code: 'PHASE_ILLEGAL',
                info: { from, to, allowed: ALLOWED[from].split(' ').filter(Boolean) },
              }),
            )
            expect(machine.current).toBe(from)
          }
        }
      }),
    )
  })

  it('begin with planning', () => {
    expect(new PhaseMachine().current).toBe('planning')
  })
})
