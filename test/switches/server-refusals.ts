/** Lines of `src/server` that refuse something, by a part of them, and the rows that switch them off. */
export const REFUSALS: ReadonlyMap<string, readonly string[]> = new Map([
  ['{ status: 404 }', ['server.session-owner']],
  ['hostHeaderValidationResponse(', ['server.host', 'server.origin']],
  ["'Requests of other sites are refused.'", ['server.cross-site']],
  ["new Response('Say who you are.'", ['server.identify']],
  ["'`identify` returned no identity for stdio.'", ['server.identify-stdio']],
  ['`stateKey` needs at least'.replaceAll('`', '\\`'), ['server.state-key-length']],
  ["return failure('The state of this request is of another tool.')", ['server.state-of-this-tool']],
  ['{ status: 400 }', ['server.repeated-names']],
  ['There is no run ', ['server.continue-own-runs', 'server.http.unseen-runs']],
  ["'The server is closing.'", ['server.http.closing']],
  ["'A token is needed: ", ['server.http.strangers']],
  ['Too many requests.', ['server.http.requests', 'server.http.strangers']],
  ['event streams are open in this name', ['server.http.streams']],
  ["'The Host header is not that of one host.'", ['server.http.host-shape']],
  ['throw otherSite()', ['server.http.origin', 'server.http.other-site']],
  ["'Only bodies of the type application/json are taken, in UTF-8.'", ['server.http.types']],
  ['throw tooLarge()', ['server.http.size']],
  ['throw unkeepable(', ['server.http.values']],
  ['route.reads !== true) throw readOnly()', ['server.http.read-only']],
  ['throw unknown(id)', ['server.http.cells-of-others']],
])

/** Those that have no row, and why. */
export const UNSWITCHED: ReadonlyMap<string, string> = new Map([
  [
    'throw new MandateError(',
    'two mistakes of configuration and the refusal of `server.loopback-without-identify`, each with a test of its own',
  ],
  ["'A request reached the server without an identity.'", 'an assertion about our own code: no request can reach it'],
  ['return failure(describe(error))', 'tells a failure; refuses nothing'],
  ['return failure(', 'says that a run waits; refuses nothing'],
  ['throw new MindStop(', 'tells a failure; refuses nothing'],
  ['The form needs \\`decision\\`', 'tells an answer that decides nothing; without it the call is rejected'],
  ['throw new ResourceNotFoundError(uri)', 'tells that there is nothing'],
  ['throw error', 'hands on a failure'],
  [
    'if (this.#options.readOnly === true) throw readOnly()',
    'the same as `server.http.read-only`, for the endpoint of MCP',
  ],
  ['throw wrongMethod(', 'tells what a path takes; nothing would answer there'],
  ["'There is nothing at this path.", 'tells that there is nothing'],
  ["'This path is not served.'", 'the same as `server.listener.unclear-path`, for servers that pass requests on'],
  [
    "'Compressed bodies are not taken.'",
    'the same as `server.listener.packed-body`, for servers that pass requests on',
  ],
  [
    'throw new Refusal(',
    'over several lines: `server.http.host`, `server.http.simple-types`; and refusals of the faces, each with a test of its own',
  ],
  ['throw invalid(', 'mistakes in the configuration of tokens, each with a test of its own'],
  [
    'throw new BadRequest(',
    'mistakes in requests of another protocol, told in its own words; each with a test of its own',
  ],
  [
    'new Response(NOT_SIGNED_IN',
    'the page that says how to sign in: what stands behind it asks for an identity itself',
  ],
  ['throw answer.failure.error', 'hands on a failure'],
  ['throw missingPackage(', 'tells which package is missing; without it nothing could be served either'],
])
