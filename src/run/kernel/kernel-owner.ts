import { MandateError } from '../../core/index.ts'
import type { Kernel } from './kernel.ts'

const kernels = new WeakMap<object, Kernel>()

/** Records the kernel of an object that keeps it private. A kernel records itself. */
export function ownKernel(owner: object, kernel: Kernel): Kernel {
  kernels.set(owner, kernel)
  return kernel
}

/**
 * The kernel of a service, or the kernel itself. Only for the rooms of this package: a kernel reachable through a service would bypass the checks of
 * its operations.
 */
export function kernelOf(owner: object): Kernel {
  const kernel = kernels.get(owner)
  if (kernel !== undefined) return kernel
  throw new MandateError(
    'CONFIG_INVALID',
    'This has no kernel. Give an `AgentService`, or a `Kernel` of `mandate/kit`.',
  )
}
