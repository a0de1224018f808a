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
  ['There is no run ', ['server.continue-own-runs']],
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
  ['throw missingPackage(', 'tells which package is missing; without it nothing could be served either'],
])
