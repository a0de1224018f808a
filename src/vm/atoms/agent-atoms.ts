import { MandateError, toPlain } from '../../core/index.ts'
import type { Json, JsonObject } from '../../core/index.ts'
import type { AnyAtom, AtomContext } from './atom.ts'
import { call, outerAtom } from './io-atom.ts'
import type { Checked } from './io-atom.ts'
import { TOKEN_PREFIX, isProgram, isToken } from './procedures.ts'

/** Atoms that run other programs. They have no timeout of their own: what they run has the run's. */
export const AGENT_ATOMS: readonly AnyAtom[] = [
  outerAtom({
    op: 'agentRun',
    docs: "Runs another agent by its id, or a procedure or program with this run's fuel; `fuel` gives it a part.",
    input: { agentId: 'any', input: 'record?', fuel: 'number?' },
    cost: 1,
    timeoutMs: 0,
    exec: runAgent,
  }),
  outerAtom({
    op: 'transpileCode',
    docs: 'The program that a script says.',
    input: { code: 'string' },
    output: 'record',
    cost: codeCost,
    effects: 'pure',
    exec: ({ code }, ctx) => transpiled(String(code), ctx),
  }),
  outerAtom({
    op: 'runCode',
    docs: "Runs a script with its own variables and this run's fuel.",
    input: { code: 'string', args: 'record?' },
    cost: codeCost,
    timeoutMs: 0,
    effects: 'pure',
    exec: async ({ code, args }, ctx) => ctx.runInside(await transpiled(String(code), ctx), (args ?? {}) as Json),
  }),
  outerAtom({
    op: 'storeProcedure',
    docs: 'Keeps a program and gives a token for it, for an hour or `ttl` milliseconds.',
    input: { ast: 'record', ttl: 'size0?', maxSize: 'size0?' },
    output: 'string',
    cost: 1,
    effects: 'pure',
    exec({ ast, ttl, maxSize }, ctx) {
      if (!isProgram(ast))
        throw new MandateError('INPUT_INVALID', 'storeProcedure: "ast" is not a program: it needs op "seq".')
      const token =
        TOKEN_PREFIX + Array.from({ length: 4 }, () => Math.floor(ctx.random() * 2 ** 32).toString(36)).join('')
      return ctx.procedures.keep(ast, {
        token,
        now: ctx.now(),
        ttlMs: ttl as number | undefined,
        maxBytes: maxSize as number | undefined,
      })
    },
  }),
  outerAtom({
    op: 'releaseProcedure',
    docs: 'Forgets a procedure; says whether there was one.',
    input: { token: 'string' },
    output: 'boolean',
    cost: 0.1,
    effects: 'pure',
    exec: ({ token }, ctx) => ctx.procedures.release(String(token)),
  }),
  outerAtom({
    op: 'clearExpiredProcedures',
    docs: 'Forgets procedures whose time is over; says how many.',
    input: {},
    output: 'number',
    cost: 0.5,
    effects: 'pure',
    exec: (_, ctx) => ctx.procedures.clearExpired(ctx.now()),
  }),
]

/** Asked before the input is checked, so it may be anything. */
function codeCost({ code }: Checked): number {
  return 1 + (typeof code === 'string' ? code.length * 0.001 : 0)
}

async function runAgent({ agentId, input = {}, fuel }: Checked, ctx: AtomContext): Promise<unknown> {
  const share = fuel === undefined ? {} : { fuel: Number(fuel) }
  if (isToken(agentId)) return ctx.runInside(ctx.procedures.find(agentId, ctx.now()), input as Json, share)
  if (isProgram(agentId)) return ctx.runInside(agentId, input as Json, share)
  if (typeof agentId !== 'string')
    throw new MandateError('INPUT_INVALID', 'agentRun: "agentId" must be an id, a token or a program.')
  const result: unknown = await call(ctx, 'agent.run', agentId, input, { signal: ctx.signal, ...share })
  return unwrapped(result)
}

/** The result of a run is meant, not the run: a host may return what `vm.run` gave it. */
function unwrapped(result: unknown): unknown {
  if (typeof result !== 'object' || result === null || !('fuelUsed' in result && 'result' in result)) return result
  const { error } = result as { readonly error?: { readonly message?: unknown } | undefined }
  if (error !== undefined) throw new MandateError('TOOL_FAILED', `The agent failed: ${String(error.message)}`)
  return result.result
}

async function transpiled(source: string, ctx: AtomContext): Promise<JsonObject> {
  const { code } = ctx.capabilities
  if (code !== undefined) return toPlain(await code.transpile(source)).value as JsonObject
  const { script } = await import('../script/script.ts')
  return toPlain(script(source)).value as JsonObject
}
