import type { Mutation } from './mutation.ts'

const TESTS = ['test/server/mcp-server.test.ts']
const CHECKS = ['test/server/mcp-checks.test.ts']
const MAIN = 'src/server/mcp/mcp-server.ts'

type Row = Omit<Mutation, 'room' | 'tests'> & { readonly tests?: readonly string[] }

const LISTENER = 'src/server/listener.ts'
const WEB = ['test/server/web-corpus.test.ts', 'test/server/http-requests.test.ts']

/** What is refused before a request is read. */
const BEFORE: readonly Row[] = (
  [
    ['target', "if (url?.startsWith('/') !== true) return false", ''],
    [
      'repeated-headers',
      'if (names.some((name, at) => ONCE.has(name) && names.indexOf(name) !== at)) return false',
      '',
    ],
    ['host-shape', 'if (!HOST.test(host)) return false', ''],
    ['host-port', 'Number(local[1] ?? 80) === socket.localPort', 'true'],
    ['path', "if (url.split('?', 1)[0] !== path) return 404", ''],
    ['methods', 'if (!METHODS.has(method)) return 405', ''],
    [
      'packed-body',
      "(headers['content-encoding'] ?? 'identity') === 'identity' ? undefined : 415",
      'void headers ?? undefined',
    ],
    ['slow-headers', 'headersTimeout: headersMs,', 'headersTimeout: 0,'],
    ['connections', 'server.maxConnections = connections', 'void connections'],
    ['response-headers', "['x-content-type-options', 'nosniff'],", ''],
  ] as const
).map(([name, find, replace]) => ({ id: `server.listener.${name}`, file: LISTENER, find, replace, tests: WEB }))

const ROWS: readonly Row[] = [
  {
    id: 'server.host',
    file: MAIN,
    find: 'hostHeaderValidationResponse(request, [...allowedHosts]) ??',
    replace: '',
    pattern: 'not allowed are refused',
  },
  {
    id: 'server.origin',
    file: MAIN,
    find: '?? originValidationResponse(request, [...allowedOrigins])',
    replace: '',
    pattern: 'not allowed are refused',
  },
  {
    id: 'server.cross-site',
    file: MAIN,
    find: 'if (isCrossSite(request)) return',
    replace: 'if (false) return',
    tests: ['test/server/http-requests.test.ts'],
    pattern: 'a page of another site',
  },
  {
    id: 'server.repeated-names',
    file: MAIN,
    find: 'if (unclear !== undefined) return unclear',
    replace: 'void unclear',
    tests: ['test/server/http-requests.test.ts'],
    pattern: 'a body that has a name',
  },
  {
    id: 'server.other-port',
    file: MAIN,
    find: 'options.allowedOrigins === undefined && isOfOtherPort(request) ?',
    replace: 'false ?',
    tests: WEB,
  },
  {
    id: 'server.identify',
    file: MAIN,
    find: "if (identity === undefined) return new Response('Say who you are.', { status: 401 })",
    replace: '',
    pattern: 'gets 401',
  },
  {
    id: 'server.identify-stdio',
    file: MAIN,
    tests: CHECKS,
    pattern: 'to nobody',
    find: "if (identity === undefined) throw new MandateError('DENIED', '`identify` returned no identity for stdio.')",
    replace: '',
  },
  {
    id: 'server.identity-shape',
    file: MAIN,
    tests: CHECKS,
    pattern: 'wrong shape',
    find: "checkIdentity(given, 'What `identify` gives')",
    replace: 'given',
  },
  {
    id: 'server.loopback-without-identify',
    file: MAIN,
    find: "if (identify === undefined && !LOOPBACK.includes(host) && host !== '::1')",
    replace: 'if (false)',
    pattern: 'beyond this machine',
  },
  {
    id: 'server.state-key-length',
    file: MAIN,
    tests: CHECKS,
    pattern: 'could be guessed',
    find: 'if (stateKey.length >= KEY_LENGTH)',
    replace: 'if (true)',
  },
  {
    id: 'server.state-bound-to-caller',
    file: MAIN,
    tests: CHECKS,
    pattern: 'its own caller',
    find: "return `${mcpReq.method} ${http?.authInfo?.clientId ?? ''}`",
    replace: 'return mcpReq.method',
  },
  {
    id: 'server.state-verified',
    file: 'src/server/mcp/instance.ts',
    find: 'verify: (state, context) => codec.verify(state, context)',
    replace: 'verify: (state) => state as never',
    pattern: 'changed on its way',
  },
  {
    id: 'server.state-of-this-tool',
    file: 'src/server/mcp/call.ts',
    tests: CHECKS,
    pattern: 'no use to another',
    find: 'if (state !== undefined && state.tool !== work.tool)',
    replace: 'if (false)',
  },
  {
    id: 'server.session-owner',
    file: 'src/server/mcp/sessions.ts',
    find: 'if (session === undefined || session.owner !== identity.id)',
    replace: 'if (session === undefined)',
    pattern: 'belongs to whoever opened it',
  },
  {
    id: 'server.session-idle',
    file: 'src/server/mcp/sessions.ts',
    tests: CHECKS,
    pattern: 'nobody uses',
    find: 'now - session.usedAt < IDLE_MS && ',
    replace: '',
  },
  {
    id: 'server.session-count',
    file: 'src/server/mcp/sessions.ts',
    tests: CHECKS,
    pattern: 'silent longest',
    find: ' && byAge.length - index <= SESSIONS',
    replace: '',
  },
  {
    id: 'server.continue-own-runs',
    file: 'src/server/mcp/instance.ts',
    find: 'offer !== undefined && (await mayContinue(service, id, by))',
    replace: 'offer !== undefined',
    pattern: 'someone else',
  },
  {
    id: 'server.closed-form-ends',
    file: 'src/server/mcp/call.ts',
    find: 'questions.size === 0 || isClosed)',
    replace: 'questions.size === 0)',
    pattern: 'closed decides nothing',
  },
]

export const SERVER_MUTATIONS: readonly Mutation[] = [...ROWS, ...BEFORE].map((row) => ({
  tests: TESTS,
  ...row,
  room: 'server',
}))
