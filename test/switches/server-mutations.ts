import type { Mutation } from './mutation.ts'

const TESTS = ['test/server/mcp-server.test.ts']
const CHECKS = ['test/server/mcp-checks.test.ts']
const MAIN = 'src/server/mcp/mcp-server.ts'

type Row = Omit<Mutation, 'room' | 'tests'> & { readonly tests?: readonly string[] }

const LISTENER = 'src/server/listener.ts'
const MCP_WEB = ['test/server/mcp-web-corpus.test.ts', 'test/server/http-requests.test.ts']
const WEB = ['test/server/web-corpus.test.ts']
const HTTP = 'src/server/http'
const HTTP_TESTS = ['src/server/http/request-checks.test.ts', 'src/server/http/http-server.test.ts']

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
    ['path', 'asked === path ? undefined : 404', 'undefined'],
    ['unclear-path', 'pathRefusal(asked) :', 'undefined :'],
    ['methods', 'if (!METHODS.has(method)) return 405', ''],
    [
      'packed-body',
      "(headers['content-encoding'] ?? 'identity') === 'identity' ? undefined : 415",
      'void headers ?? undefined',
    ],
    ['slow-headers', 'headersTimeout: headersMs,', 'headersTimeout: 0,'],
    ['connections', 'server.maxConnections = connections', 'void connections'],
    ['slow-body', 'requestTimeout: requestMs,', 'requestTimeout: 0,'],
    ['long-target', 'isLongTarget ? 414 :', 'false ? 414 :'],
  ] as const
).map(([name, find, replace]) => ({
  id: `server.listener.${name}`,
  file: LISTENER,
  find,
  replace,
  tests: [...MCP_WEB, ...WEB],
}))

/** Those that a case of the web corpus notices. */
const CASES: Readonly<Record<string, string>> = {
  expiry: 'web-auth-14',
  audience: 'web-auth-15',
  streams: 'web-limit-08',
  size: 'too large',
  depth: 'web-limit-13',
  nosniff: 'web-header-02',
  'content-policy': 'web-csrf-19',
  'unseen-runs': 'web-auth-16',
  'cells-of-others': 'web-rbac-20',
  origin: 'web-csrf-11',
  'other-site': 'web-csrf-07',
  permission: 'web-rbac-03',
}

/** Those that are tried by other tests. */
const TALKS: Readonly<Record<string, readonly string[]>> = {
  'message-not-begun': [`${HTTP}/routes/conversations.test.ts`],
}

/** What the HTTP server refuses, and where. */
const SERVED: readonly Row[] = (
  [
    [
      'host',
      'origin-checks.ts',
      'if (!hosts.some((host) => host === name.toLowerCase() || host === full))',
      'if (false)',
    ],
    ['host-shape', 'origin-checks.ts', 'if (name === undefined)', 'if (false)'],
    ['origin', 'origin-checks.ts', 'if (origins.includes(origin)) return origin', 'return origin'],
    [
      'other-site',
      'origin-checks.ts',
      "if (!isOpen && site !== null && site !== 'same-origin' && site !== 'none') throw otherSite()",
      '',
    ],
    ['expiry', 'tokens.ts', ' && grant.expiresAt > now', ''],
    ['audience', 'tokens.ts', 'one.audience === undefined || one.audience === audience', 'one'],
    ['revoked', 'tokens.ts', 'const [grant] = this.#grants.splice(at, 1)', 'const grant = this.#grants[at]'],
    ['revoked-streams', 'tokens.ts', 'grant!.revoked.abort()', 'void grant'],
    ['weak-token', 'tokens.ts', 'token.length >= TOKEN_MIN && ', ''],
    [
      'open-server',
      'options.ts',
      'if ((tokens === undefined || tokens.length === 0) && authenticate === undefined)',
      'if (false)',
    ],
    ['strangers', 'http-server.ts', 'this.#count(this.#strangers, address)', ''],
    ['requests', 'http-server.ts', 'this.#count(this.#requests, `as ${found.identity.id}`)', ''],
    [
      'permission',
      'http-server.ts',
      'if (route.permission !== undefined) service.check(...anyOf(route.permission))',
      '',
    ],
    ['closing', 'http-server.ts', 'if (this.#closing.signal.aborted)', 'if (false)'],
    ['streams', 'open-streams.ts', 'if (open >= this.#most)', 'if (false)'],
    ['simple-types', 'request-input.ts', "if (type === '' || SIMPLE.test(type))", 'if (false)'],
    ['types', 'request-input.ts', 'if (JSON_TYPE.test(type.trim())) return', 'if (!SIMPLE.test(type)) return'],
    ['size', 'request-input.ts', 'if (size > most) throw tooLarge()', ''],
    ['depth', 'request-input.ts', 'if (names.length > most)', 'if (false)'],
    ['names', 'request-input.ts', '&& ++names[names.length - 1]! > NAMES_MAX', '&& false'],
    ['few-problems', 'request-input.ts', 'isLarge(value) ? check(withFewUnknown(value, schema), true) : ', ''],
    ['repeated-names', 'request-input.ts', 'if (repeated === undefined) return value', 'return value'],
    ['values', 'request-input.ts', 'checkValues(value)\n', '\n'],
    ['repeated-parameters', 'request-input.ts', 'if (Object.hasOwn(value, name))', 'if (false)'],
    ['unknown-parameters', 'request-input.ts', 'if (!Object.hasOwn(properties, name))', 'if (false)'],
    ['schemas', 'request-input.ts', 'if (checked.valid) return', 'return'],
    ['nosniff', 'security-headers.ts', "['x-content-type-options', 'nosniff'],", ''],
    ['content-policy', 'security-headers.ts', "if (!headers.has('content-security-policy'))", 'if (false)'],
    ['unseen-runs', 'routes/run-visibility.ts', "if (!route.path.includes('{runId}')) return route", 'return route'],
    ['read-only', 'http-server.ts', '!READING.has(route.method) && route.reads !== true', 'false'],
    ['other-request', 'routes/start-run.ts', 'if (asked <= refused) throw keyOfAnother()', ''],
    ['refused-request', 'routes/start-run.ts', 'await journal.addCount(refusedName(request), clock.now(), 1)', ';'],
    [
      'message-not-begun',
      'routes/conversations.ts',
      'if (!isInTime && (await stream.withdraw())) throw notBegun(call)',
      'if (!isInTime) return await answer(talking, stream, false)',
    ],
    ['kept-key', 'idempotency-key.ts', "if (headers.has('idempotency-key'))", 'if (false)'],
    [
      'cells-of-others',
      'routes/cells/cell-sessions.ts',
      'if (known !== undefined && known.owner !== identity.id) throw unknown(id)',
      '',
    ],
  ] as const
).map(([name, file, find, replace]) => ({
  id: `server.http.${name}`,
  file: `${HTTP}/${file}`,
  find,
  replace,
  ...(Object.hasOwn(CASES, name) ? { tests: WEB, pattern: CASES[name]! } : { tests: TALKS[name] ?? HTTP_TESTS }),
}))

const ROWS: readonly Row[] = [
  {
    id: 'server.host',
    file: MAIN,
    find: 'protocol.hostHeaderValidationResponse(request, [...allowedHosts]) ??',
    replace: '',
    pattern: 'not allowed are refused',
  },
  {
    id: 'server.origin',
    file: MAIN,
    find: 'protocol.originValidationResponse(request, [...allowedOrigins])',
    replace: 'undefined',
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
    tests: MCP_WEB,
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

const HOOKS = 'src/server/webhooks'

/** What makes deliveries and approval links believed. */
const WEBHOOKS: readonly Row[] = (
  [
    ['signature', 'signature', "(await key.verify(signature.slice('v1,'.length), signed))", 'signed.length > 0'],
    ['time', 'signature', '> TOLERANCE_SECONDS) return undefined', '< 0) return undefined'],
    [
      'repeated',
      'delivery-intake',
      "!== undefined) return answered(run, 'duplicate')",
      '=== null) return answered(run, run as never)',
    ],
    ['steered-once', 'delivery-intake', 'wake.message, { id: runId })', 'wake.message)'],
    ['answered-once', 'delivery-intake', 'if (!isGiven) throw error', 'if (isGiven || id !== undefined) throw error'],
    [
      'answer-aimed',
      'delivery-intake',
      'questions.length === 1 ? { ...wake, question: questions[0]!.id } : wake',
      'wake',
    ],
    ['link-expiry', 'approval-links', 'grant.expiresAt <= this.#now()', 'grant.expiresAt < 0'],
    ['link-call', 'approval-links', '|| request.hash !== grant.hash', ''],
    ['link-once', 'approval-links', '!open.some(({ id }) => id === grant.id)', 'open.length > 99'],
    ['link-policy', 'approval-page', "'content-security-policy': POLICY,", ''],
  ] as const
).map(([name, file, find, replace]) => ({
  id: `server.webhooks.${name}`,
  file: `${HOOKS}/${file}.ts`,
  find,
  replace,
  tests: [`${HOOKS}/webhooks.test.ts`],
}))

/** What holds a signed text to its purpose, and a resumed answer to its order. */
const TEXTS: readonly Row[] = [
  {
    id: 'server.signed-text.signature',
    file: 'src/server/http/signed-text.ts',
    find: '!(await this.#key.verify(signature, this.#signed(said)))',
    replace: "signature === ''",
    tests: ['src/server/http/signed-text.test.ts', `${HOOKS}/webhooks.test.ts`],
  },
  {
    id: 'server.signed-text.purpose',
    file: 'src/server/http/signed-text.ts',
    find: 'return `${this.#purpose}\\n${said}`',
    replace: 'return said',
    tests: ['src/server/http/signed-text.test.ts'],
  },
  {
    id: 'server.chat-once-at-a-time',
    file: 'src/server/faces/claim.ts',
    find: "if (run?.state === 'running') throw answeringNow(stopping)",
    replace: '',
    tests: ['test/server/streams/chat.test.ts'],
  },
  {
    id: 'server.chat-starting',
    file: 'src/server/faces/claim.ts',
    find: 'if (starting.has(chat)) throw answeringNow(stopping)',
    replace: '',
    tests: ['src/server/faces/claim.test.ts'],
  },
  {
    id: 'server.chat-other-process',
    file: 'src/server/faces/claim.ts',
    find: 'return { runId, begun,',
    replace: 'return { runId: undefined, begun,',
    tests: ['src/server/faces/claim.test.ts', 'test/server/streams/chat.test.ts'],
  },
  {
    id: 'server.chat-taken',
    file: 'src/server/faces/claim.ts',
    find: 'if (!isOurs) throw answeringNow(stopping)',
    replace: '',
    tests: ['src/server/faces/claim.test.ts', 'test/server/streams/chat.test.ts'],
  },
  {
    id: 'server.chat-behind',
    file: 'src/server/faces/claim.ts',
    find: 'if (known === undefined) return next',
    replace: 'return next',
    tests: ['src/server/faces/claim.test.ts'],
  },
  {
    id: 'server.ag-ui-once-at-a-time',
    file: 'src/server/faces/ag-ui.ts',
    find: 'const isMessage = resumed.length === 0 &&',
    replace: 'const isMessage = false &&',
    tests: ['test/server/streams/ag-ui.test.ts'],
  },
  {
    id: 'server.openai.tool-choice',
    file: 'src/server/faces/openai/openai.ts',
    find: 'const toolChoice = toolChoiceOf(fields)',
    replace: 'const toolChoice = undefined',
    tests: ['test/server/streams/openai.test.ts'],
  },
  {
    id: 'server.openai.unsupported',
    file: 'src/server/faces/openai/openai.ts',
    find: '  checkSupported(fields)\n',
    replace: '',
    tests: ['test/server/streams/openai.test.ts'],
  },
  {
    id: 'server.openai.unknown-model',
    file: 'src/server/faces/openai/openai.ts',
    find: 'new UnknownModel(error.message) : error',
    replace: 'error : error',
    tests: ['test/server/streams/openai.test.ts'],
  },
  {
    id: 'server.openai.content',
    file: 'src/server/faces/openai/request.ts',
    find: "if (role !== 'assistant' && (",
    replace: 'if (false && (',
    tests: ['test/server/streams/openai.test.ts'],
  },
  {
    id: 'server.openai.part-text',
    file: 'src/server/faces/openai/request.ts',
    find: "if (typeof text === 'string') return text",
    replace: 'return String(text)',
    tests: ['test/server/streams/openai.test.ts'],
  },
  {
    id: 'server.openai.streaming',
    file: 'src/server/faces/openai/request.ts',
    find: "if (!isAbsent(stream) && typeof stream !== 'boolean')",
    replace: 'if (false)',
    tests: ['test/server/streams/openai.test.ts'],
  },
  {
    id: 'server.resumed-answer.order',
    file: 'src/agent/ai-sdk/served/follow.ts',
    find: 'if (!SPEAKING.test(key) || key === ANSWER_KEY || this.#started.has(key)) return [more]',
    replace: 'return [more]',
    tests: ['src/agent/ai-sdk/served/follow.test.ts'],
  },
  ...(
    [
      ['runs', 'http/routes/run-wait', 'await hasBegun(run)', 'void run'],
      ['faces', 'faces/face', '  await kernelOf(face.service)\n    .stored(runId)\n    .catch(() => {})\n', ''],
      ['webhooks', 'webhooks/delivery-intake', 'await hasBegun(run)', 'void run'],
    ] as const
  ).map(([name, file, find, replace]) => ({
    id: `server.begun.${name}`,
    file: `src/server/${file}.ts`,
    find,
    replace,
    tests: ['test/server/begun-runs.test.ts'],
    pattern: 'is in the store',
  })),
  ...(
    [
      ['explained', 'service/service-upkeep', 'redactedBy(host.kernel, explained as unknown as Json)', '(explained)'],
      ['schedules', 'schedule/schedule-keeper', '...(stored ??', '...(schedule ?? stored ??'],
    ] as const
  ).map(([name, file, find, replace]) => ({
    id: `server.echoed-secrets.${name}`,
    file: `src/agent/${file}.ts`,
    find,
    replace,
    tests: ['src/server/http/echoed-secrets.test.ts'],
  })),
  {
    id: 'server.kinds-of-options',
    file: 'src/core/options.ts',
    find: 'checkKind(value, kinds, `',
    replace: 'void (value, kinds, `',
    tests: ['test/bad-input/kinds.test.ts'],
  },
]

const SESSION = 'src/server/studio/studio-session.ts'

/** What keeps the session of the studio to its browser. */
const STUDIO: readonly Row[] = (
  [
    ['place', SESSION, 'if (!this.#placed.has(request)) return undefined', ''],
    ['cookie-path', SESSION, 'Path=${this.place};', 'Path=/;'],
    ['cookie-end', SESSION, ' && signed.expiresAt > systemClock.now()', ''],
    ['secure-cookie', SESSION, 'const name = isSecure ? SECURE_COOKIE : COOKIE', 'const name = COOKIE'],
    ['ticket-once', SESSION, 'this.#tickets.delete(ticket)\n    if (expiresAt', 'if (expiresAt'],
    ['ticket-end', SESSION, 'if (expiresAt <= now) return undefined', 'if (expiresAt === 0) return undefined'],
    ['looks', 'src/server/studio/studio-part.ts', 'if (isLook)', 'if (false)'],
    ['trusted-types', 'src/server/studio/studio-files.ts', '"require-trusted-types-for \'script\'",', ''],
  ] as const
).map(([name, file, find, replace]) => ({
  id: `server.studio.${name}`,
  file,
  find,
  replace,
  tests: ['test/studio/session.test.ts'],
}))

export const SERVER_MUTATIONS: readonly Mutation[] = [
  ...ROWS,
  ...BEFORE,
  ...SERVED,
  ...STUDIO,
  ...WEBHOOKS,
  ...TEXTS,
].map((row) => ({
  tests: TESTS,
  ...row,
  room: 'server',
}))
