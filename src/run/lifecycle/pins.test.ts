import { describe, expect, it } from 'vitest'
import type { Json } from '../../core/index.ts'
import { GENESIS, checkEntry, memoryJournal } from '../../journal/index.ts'
import type { IntactEntry, Journal } from '../../journal/index.ts'
import { entriesOf, kernelWith, program } from '../kernel/kernel.fixture.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { pinsFor } from './pins.ts'
import type { RunSpec } from './create-run.ts'

const TOKEN = ['ghp', 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'].join('_')

async function startOf(
  kernel: Kernel,
  journal: Journal,
  spec: Partial<RunSpec> = {},
): Promise<IntactEntry<'run-start'>> {
  const { runId, outcome } = kernel.begin({ kind: 'program', name: 'main', input: null, ...spec })
  await outcome
  return (await entriesOf(journal, 'run-start', runId))[0]!
}

function pinning(pins: () => Json): { readonly kernel: Kernel; readonly journal: Journal } {
  const journal = memoryJournal()
  return { journal, kernel: kernelWith({ journal, minds: [program('main', async () => null, { pins })] }) }
}

const more: Partial<RunSpec> = {
  input: { z: [1, { b: 'ä "q"', a: null }] },
  labels: ['untrusted:mail'],
  sessionId: 's',
  source: 'here.ts',
  budget: { steps: 3, money: 0.25 },
  allotted: true,
}

describe('what a run pins', () => {
  it.each<[string, Partial<RunSpec>]>([
    ['as little as there is', {}],
    ['all there can be', more],
  ])('stands in a start with %s as the canonical text has it', async (_, spec) => {
    const own = Object.freeze({ b: 1, a: { d: [], c: 'x' } })
    const { kernel, journal } = pinning(() => own)
    for (const start of [await startOf(kernel, journal, spec), await startOf(kernel, journal, spec)]) {
      // A copy is a stranger, whose text is made of its data again.
      expect(() => checkEntry({ ...start }, GENESIS, start.run)).not.toThrow()
      expect(start.data.pins).toMatchObject({ mind: own, labels: 'coarse' })
    }
  })

  it('is redacted in every run, also when it never changes', async () => {
    const own = Object.freeze({ prompt: `Use ${TOKEN}.`, clean: 'nothing here' })
    const { kernel, journal } = pinning(() => own)
    for (const start of [await startOf(kernel, journal), await startOf(kernel, journal)]) {
      const text = JSON.stringify(start)
      expect(text).toContain('nothing here')
      expect(text).not.toContain(TOKEN)
    }
  })

  it('is read again from a mind whose pins may change', async () => {
    const own = { version: 0 }
    const { kernel, journal } = pinning(() => own)
    const pinned: Json[] = []
    for (own.version of [1, 2]) pinned.push((await startOf(kernel, journal)).data.pins)
    expect(pinned).toMatchObject([{ mind: { version: 1 } }, { mind: { version: 2 } }])
  })

  it('is the same under the same mandates alone', () => {
    const mind = program('main', async () => null)
    const own = Object.freeze({})
    const mandates = [Object.freeze({})]
    const pins = pinsFor({ mandates, mind, own, vault: undefined })
    expect(pinsFor({ mandates: [...mandates], mind, own, vault: undefined })).toEqual(pins)
    const others = [Object.freeze({ intentRequired: true }), ...mandates]
    expect(pinsFor({ mandates: others, mind, own, vault: undefined })).toMatchObject({ intent: 'hidden' })
    expect(pinsFor({ mandates, mind, own, vault: 'key' })).toMatchObject({ vault: 'key' })
    expect(pinsFor({ mandates, mind, own: Object.freeze({ x: 1 }), vault: undefined })).toMatchObject({
      mind: { x: 1 },
    })
  })

  it('pins that are not plain data are refused before anything is written', async () => {
    const { kernel, journal } = pinning(() => ({ now: new Date(0) }) as unknown as Json)
    await expect(kernel.run({ kind: 'program', name: 'main', input: null })).rejects.toMatchObject({
      code: 'INPUT_INVALID',
    })
    expect(await journal.list()).toEqual([])
  })
})
