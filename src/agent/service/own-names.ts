import { checkNames } from '../../gate/index.ts'
import { kernelOf, knownTargets } from '../../run/index.ts'
import type { Kernel } from '../../run/index.ts'

/** Throws if the mandate of a service names what is probably a misspelt tool, agent, graph or program of it. */
export function checkOwnNames(service: object): void {
  checkMandateOf(kernelOf(service))
}

export function checkMandateOf({ mandate, registry }: Kernel): void {
  if (mandate !== undefined) checkNames(mandate, () => knownTargets(registry), 'The service')
}
