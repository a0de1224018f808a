import type { Mutation } from './mutation.ts'

type Part = readonly [name: string, file: string, find: string, replace: string]

const partsOf = (tests: readonly string[], parts: readonly Part[]): Mutation[] =>
  parts.map(([name, file, find, replace]) => ({
    id: `connect.${name}`,
    room: 'connect',
    file: `src/connect/${file}`,
    find,
    replace,
    tests,
  }))

/** Refusals of the connectors that have no name in `checks.ts`. */
export const CONNECT_REFUSALS: readonly Mutation[] = [
  ...partsOf(
    ['src/connect/http/http-exchange.test.ts'],
    [
      [
        'http.redirect-downgrade',
        'http/http-exchange.ts',
        "if (request.url.protocol === 'https:' && url.protocol !== 'https:')",
        'if (false)',
      ],
    ],
  ),
  ...partsOf(
    ['src/connect/sql/sqlite-handle.test.ts'],
    [
      ['sql.nul', 'sql/sql-tools.ts', "if (sql.includes('\\0'))", 'if (false)'],
      ['sql.rest', 'sql/sqlite-handle.ts', "if (rest !== '' && !isOnlyComments) throw", 'if (false) throw'],
      [
        'sql.authorizer',
        'sql/sqlite-handle.ts',
        '    database.setAuthorizer(this.#authorizer(write))\n    return database',
        '    return database',
      ],
    ],
  ),
  ...partsOf(
    ['test/connect/refusals.test.ts'],
    [
      ['files.upward', 'files/names.ts', "if (name === '..')", 'if (false)'],
      ['files.write-size', 'files/file-tools.ts', 'if (Buffer.byteLength(text) > files.maxBytes)', 'if (false)'],
    ],
  ),
  ...partsOf(
    ['test/files/fs-corpus.test.ts', 'test/files/file-tools.test.ts'],
    [
      ['files.absolute', 'files/names.ts', 'if (/^[\\\\/]|^[a-z]:/i.test(path))', 'if (false)'],
      ['files.backslash', 'files/names.ts', "if (path.includes('\\\\'))", 'if (false)'],
      ['files.unseen', 'files/names.ts', 'if (UNSEEN.test(name)) throw', 'if (false) throw'],
      ['files.device-names', 'files/names.ts', 'if (DEVICE.test(name) ||', 'if ('],
      ['files.text-only', 'files/read.ts', "if (encoding === 'utf-8' && isBinary(bytes))", 'if (false)'],
    ],
  ),
  ...partsOf(
    ['test/connect/ssrf-corpus.test.ts', 'src/connect/http/http-allow.test.ts', 'src/connect/http/http-fetch.test.ts'],
    [
      [
        'http.protocol',
        'http/http-allow.ts',
        "if (url.protocol !== 'http:' && url.protocol !== 'https:')",
        'if (false)',
      ],
      ['http.credentials', 'http/http-allow.ts', "if (url.username !== '' || url.password !== '')", 'if (false)'],
      [
        'http.encoded-path',
        'http/http-allow.ts',
        "/i.test(url.pathname) && rules.some(({ path }) => path !== '/')",
        '/i.test(url.pathname) && false',
      ],
      ['http.private-literal', 'http/http-allow.ts', 'if (address !== undefined && !isPublic(address))', 'if (false)'],
      ['http.port', 'http/http-allow.ts', 'return isHost && isPort &&', 'return isHost &&'],
      ['http.headers', 'http/http-exchange.ts', 'if (FORBIDDEN.test(name))', 'if (false)'],
      [
        'http.redirect-checked',
        'http/http-exchange.ts',
        'allow.check(request.url)\n',
        'if (hop === 0) allow.check(request.url)\n',
      ],
      [
        'http.redirect-body',
        'http/http-exchange.ts',
        'if (request.body !== undefined && url.origin !== request.url.origin &&',
        'if (false &&',
      ],
      ['http.redirect-count', 'http/http-exchange.ts', 'const REDIRECTS_MAX = 5', 'const REDIRECTS_MAX = 100'],
    ],
  ),
  ...partsOf(
    ['src/connect/http/http-decoder.test.ts', 'src/connect/http/http-fetch.test.ts'],
    [['http.codings', 'http/http-decoder.ts', 'if (names.length > CODINGS_MAX)', 'if (false)']],
  ),
  ...partsOf(
    ['test/connect/sql.test.ts', 'test/connect/sql-corpus.test.ts'],
    [
      ['sql.version-comment', 'sql/sql-tools.ts', "if (sql.includes('/*!'))", 'if (false)'],
      ['sql.rows', 'sql/values.ts', 'if (kept.length >= maxRows)', 'if (false)'],
      ['sql.bytes', 'sql/values.ts', 'if (bytes > maxBytes) return', 'if (false) return'],
    ],
  ),
  ...partsOf(
    ['test/mcp/config.test.ts', 'test/mcp/corpus.test.ts'],
    [
      ['mcp.shell-line', 'mcp/server-config.ts', 'if (shell !== -1 &&', 'if (false &&'],
      ['mcp.inline-program', 'mcp/server-config.ts', 'if (at !== -1 && words', 'if (false && words'],
      ['mcp.injecting-variables', 'mcp/server-config.ts', 'if (INJECTING.test(variable))', 'if (false)'],
      [
        'mcp.credentials',
        'mcp/server-config.ts',
        "if (parsed.username !== '' || parsed.password !== '') throw",
        'if (false) throw',
      ],
    ],
  ),
  ...partsOf(
    ['test/mcp/http.test.ts', 'src/connect/mcp/http-requests.test.ts'],
    [['mcp.other-origin', 'mcp/http-requests.ts', 'if (isElsewhere && !mayAuthorizeAt(url))', 'if (false)']],
  ),
  ...partsOf(
    ['test/mcp/hostile.test.ts', 'test/mcp/corpus.test.ts'],
    [
      [
        'mcp.changed-definition',
        'mcp/mcp-tool.ts',
        'if (now === this.#pin || (now !== undefined && now === this.#asked)) return',
        'if (now !== undefined) return',
      ],
      ['mcp.deceiving-text', 'mcp/definition.ts', 'if (DECEIVING.test(text)) return', 'if (false) return'],
      ['mcp.tool-names', 'mcp/definition.ts', 'if (!NAME_SHAPE.test(name)) return', 'if (false) return'],
      ['mcp.listed-twice', 'mcp/definition.ts', 'seen.get(name)! > 1 ?', 'false ?'],
      [
        'mcp.schema-bytes',
        'mcp/definition.ts',
        'if (JSON.stringify(schema).length > SCHEMA_BYTES) return',
        'if (false) return',
      ],
      ['mcp.schema-depth', 'mcp/definition.ts', 'if (depthOf(schema) > SCHEMA_DEPTH) return', 'if (false) return'],
      ['mcp.tool-count', 'mcp/definition.ts', 'const TOOLS_MAX = 512', 'const TOOLS_MAX = 1e6'],
    ],
  ),
]
