import { canonical, toPlain } from '../../core/index.ts'
import { call, endingOf } from './calls.ts'
import type { CaseWorld, ToolCase } from './case.ts'

const PATIENCE_MS = 2_000

/** Guarantees about cancellation and about repeated calls. */
export const endingCases: readonly ToolCase[] = [
  {
    name: 'a call that is cut before it begins ends',
    async check({ subject, opened, expect }) {
      const cut = AbortSignal.abort(new Error('cut'))
      const calling = call(opened.tool, subject.slow ?? subject.valid[0] ?? null, { signal: cut })
      expect(await endingOf(calling, subject.patienceMs ?? PATIENCE_MS)).toBe('ended')
    },
  },
  {
    name: 'a long call that is cut ends soon after, and not before',
    appliesTo: (subject) => subject.slow !== undefined,
    async check({ subject, opened, expect }) {
      const controller = new AbortController()
      const calling = call(opened.tool, subject.slow ?? null, { signal: controller.signal })
      expect(await endingOf(calling, 20)).toBe('pending')
      controller.abort(new Error('cut'))
      expect(await endingOf(calling, subject.patienceMs ?? PATIENCE_MS)).toBe('ended')
    },
  },
  {
    name: 'if it says that it is idempotent, doing it twice with one key is the same as doing it once',
    check: checkTwice,
  },
]

async function checkTwice({ subject, opened, expect }: CaseWorld): Promise<void> {
  if (opened.tool.idempotent !== true) return
  for (const [index, input] of subject.valid.entries()) {
    const given = { idempotencyKey: `run_1/tool:${index + 1}` }
    const first = toPlain(await call(opened.tool, input, { ...given, attempt: 1 })).value
    const after = canonical(toPlain(await opened.observe?.()).value)
    const second = toPlain(await call(opened.tool, input, { ...given, attempt: 2 })).value
    expect(second).toEqual(first)
    expect(canonical(toPlain(await opened.observe?.()).value)).toBe(after)
  }
}
