import { MandateError } from '../../../core/index.ts'
import type { AtomContext } from '../atom.ts'

/** Calls a function of a capability; the error names what the host has to provide. */
export async function call(ctx: AtomContext, name: string, ...args: readonly unknown[]): Promise<unknown> {
  const [space, method] = name.split('.') as [string, string]
  const capability = ctx.capabilities[space] as Readonly<Record<string, unknown>> | undefined
  const found = capability?.[method]
  if (typeof found === 'function') return Reflect.apply(found, capability, args) as unknown
  throw new MandateError(
    'CONFIG_INVALID',
    `${ctx.op} needs the capability ${name}. Give it: run(program, args, { capabilities: { ${space}: { ${method}: … } } }).`,
  )
}
