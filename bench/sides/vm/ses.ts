import { load } from '../../peers/load.ts'
import type { Engine } from './engine.ts'

interface Hardened {
  lockdown(options: object): void
  readonly harden: <T>(value: T) => T
  readonly Compartment: new (options: object) => { evaluate(source: string): unknown }
}

await load('ses')
const hardened = globalThis as unknown as Hardened
hardened.lockdown({ errorTaming: 'unsafe', consoleTaming: 'unsafe', overrideTaming: 'min', domainTaming: 'unsafe' })
// Defined only after the lockdown.
const { harden, Compartment } = hardened

export const engine: Engine = {
  label: 'ses Compartment (no fuel, no memory limit)',
  create: (world) => {
    const compartment = new Compartment({ globals: { tools: harden({ ...world }) }, __options__: true })
    return { run: (source) => compartment.evaluate(source), end: () => {} }
  },
}
