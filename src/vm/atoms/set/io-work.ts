import { MandateError, toPlain } from '../../../core/index.ts'
import type { Json, JsonObject } from '../../../core/index.ts'
import { readAnswer } from '../host/answer.ts'
import type { AtomContext } from '../atom.ts'
import { call } from '../host/capability-call.ts'
import type { Checked } from './io-atom.ts'
import { script } from '../../script/script.ts'
import { TOKEN_PREFIX, isProgram, isToken } from '../host/procedures.ts'

type Work = (input: Checked, ctx: AtomContext) => unknown

/** Implementations of the I/O atoms. Those that run other programs have no timeout of their own; the timeout of the run applies. */
export const IO_WORK: Readonly<Record<string, Work>> = {
  httpFetch: fetchOver,
  storeGet: async ({ key }, ctx) => (await call(ctx, 'store.get', key)) ?? null,
  storeSet: async ({ key, value }, ctx) => void (await call(ctx, 'store.set', key, value)),
  storeQuery: async ({ query }, ctx) => (await call(ctx, 'store.query', query)) ?? [],
  // Fails if the store does not support it; returning everything unfiltered would be worse.
  storeQueryWhere: async ({ predicate, ...options }, ctx) =>
    (await call(ctx, 'store.queryPredicate', predicate, options)) ?? [],
  storeVectorSearch: async ({ collection, vector, k }, ctx) =>
    (await call(ctx, 'store.vectorSearch', collection, vector, k)) ?? [],
  llmPredict: ({ prompt, options }, ctx) => call(ctx, 'llm.predict', prompt, options),
  sleep: (_, ctx) => noTimers(ctx),
  waitUntil: (_, ctx) => noTimers(ctx),
  xmlParse: ({ str }, ctx) => call(ctx, 'xml.parse', str),
  agentRun: runAgent,
  transpileCode: ({ code }, ctx) => transpiled(String(code), ctx),
  runCode: async ({ code, args }, ctx) => ctx.runInside(await transpiled(String(code), ctx), (args ?? {}) as Json),
  storeProcedure({ ast, ttl, maxSize }, ctx) {
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
  releaseProcedure: ({ token }, ctx) => ctx.procedures.release(String(token)),
  clearExpiredProcedures: (_, ctx) => ctx.procedures.clearExpired(ctx.now()),
}

/** Hosts wait by themselves: the kernel durably, a machine alone in memory. */
function noTimers({ op }: AtomContext): never {
  throw new MandateError(
    'CONFIG_INVALID',
    `${op} needs a host that can wait: run the program with runProgram or AgentVM.`,
  )
}

async function fetchOver(input: Checked, ctx: AtomContext): Promise<unknown> {
  const { fetch } = ctx.capabilities
  if (typeof fetch !== 'function')
    throw new MandateError(
      'CONFIG_INVALID',
      'httpFetch needs the capability fetch. Give it: run(program, args, { capabilities: { fetch: (url, init) => … } }).',
    )
  const { url, method, headers, body, responseType } = input
  const init = {
    ...(method === undefined ? {} : { method }),
    ...(headers === undefined ? {} : { headers }),
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    signal: ctx.signal,
  }
  return readAnswer(await fetch(url, init), responseType)
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

/** Unwraps the result if the host returned a whole `VmResult`. */
function unwrapped(result: unknown): unknown {
  if (typeof result !== 'object' || result === null || !('fuelUsed' in result && 'result' in result)) return result
  const { error } = result as { readonly error?: { readonly message?: unknown } | undefined }
  if (error !== undefined) throw new MandateError('TOOL_FAILED', `The agent failed: ${String(error.message)}`)
  return result.result
}

async function transpiled(source: string, ctx: AtomContext): Promise<JsonObject> {
  const { code } = ctx.capabilities
  if (code !== undefined) return toPlain(await code.transpile(source)).value as JsonObject
  return toPlain(script(source)).value as JsonObject
}
