import type { Json } from '../../core/index.ts'
import type { Tool, ToolContext } from '../../tool/index.ts'
import type { AnyAtom, AtomContext } from '../atoms/atom.ts'
import { runAtom } from '../atoms/atom-call.ts'
import { MandateError, systemClock } from '../../core/index.ts'
import type { Procedures } from '../atoms/host/procedures.ts'
import type { Capabilities } from '../atoms/host/capabilities.ts'

/** Context of atoms that run as tools of the kernel. */
interface AtomToolParts {
  readonly capabilities: Capabilities
  readonly context: Readonly<Record<string, unknown>>
  readonly timeoutOverrides?: Readonly<Record<string, number>> | undefined
}

/** Wraps an atom as a tool, so that the gate authorizes and the kernel performs and records it. */
export function atomTool(atom: AnyAtom, parts: AtomToolParts): Tool {
  const timeoutMs = parts.timeoutOverrides?.[atom.op] ?? atom.timeoutMs
  return Object.freeze({
    name: atom.op,
    description: atom.docs,
    inputSchema: atom.inputSchema,
    ...(atom.risk === undefined ? {} : { risk: atom.risk }),
    ...(atom.idempotent === undefined ? {} : { idempotent: atom.idempotent }),
    // The atom's own timeout fires first, because its error names the atom.
    ...(timeoutMs > 0 ? { timeoutMs: timeoutMs + 1_000 } : {}),
    async validate(input: Json) {
      const message = await atom.checkInput(input)
      return message === undefined
        ? { valid: true as const, value: input }
        : { valid: false as const, issues: [{ path: '', message }] }
    },
    run: (input: Json, call: ToolContext) =>
      runAtom({ atom, input, timeoutMs, clock: systemClock, signal: call.signal, context: contextOf(call, parts) }),
  })
}

function contextOf(call: ToolContext, { capabilities, context }: AtomToolParts): Omit<AtomContext, 'signal' | 'op'> {
  return {
    capabilities,
    context,
    idempotencyKey: call.idempotencyKey,
    procedures: NO_PROCEDURES,
    now: () => call.now(),
    random: () => call.random(),
    warn: (message) => call.emit('program-warning', { message }),
    fuelLeft: () => 0,
    runInside: () =>
      Promise.reject(
        new MandateError(
          'CONFIG_INVALID',
          'An atom that the kernel carries out cannot run a program itself: use agentRun in the program.',
        ),
      ),
  }
}

const none = (): never => {
  throw new MandateError('CONFIG_INVALID', 'An atom that the kernel carries out has no stored procedures.')
}
const NO_PROCEDURES: Procedures = { keep: none, find: none, release: none, clearExpired: none }
